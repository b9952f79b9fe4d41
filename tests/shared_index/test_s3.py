"""The whole way through a bucket, as through a folder."""

from support.answers import answers, answers_of_full_index
from support.people import People


def test_index_is_shared_through_a_bucket(people: People, s3_url: str) -> None:
    owner = people.person("owner")
    owner.done("remote", "init", s3_url, "--name", "shop")
    first = owner.done("index", "--publish", s3_url, "--json").document["published"]
    assert first["place"] == s3_url
    assert first["objects"] >= 5
    reader = people.person("reader")
    reader.done("remote", "accept", str(people.grant(owner)))
    found = reader.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "from the shared index `shop`" in found.err
    with reader.here():
        assert answers(reader.root) == answers_of_full_index(reader.root)
    owner.clone.write("new.py", "def newly():\n    return 1\n")
    owner.clone.commit()
    second = owner.done("index", "--publish", "shop", "--json").document["published"]
    assert second["uploaded_bytes"] <= 20_000
    assert reader.done("pull", "--json").document["epoch"] == 2
    for person in (owner, reader):
        for arguments in (("remote", "status"), ("remote", "status", "--json"), ("logs",)):
            assert "a-secret-that-is-shown-nowhere" not in person.done(*arguments).out
