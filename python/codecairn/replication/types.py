"""What publishing and pulling report."""

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.indexing import IndexReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What publishing did.

    Attributes:
        remote: The name of the shared index.
        place: Where its objects lie.
        branch: The branch that was published.
        commit: The commit that was indexed; empty without git.
        epoch: The number of the publication; it stays where nothing had changed.
        is_new: Whether anything had changed since the last publication.
        files: Files in the published index.
        contents: How many of them had to be packed.
        packs: How many packs of records there are.
        objects: How many objects were uploaded.
        uploaded_bytes: Their size.
        seconds: How long it took, without indexing.
    """

    remote: str
    place: str
    branch: str
    commit: str
    epoch: int
    is_new: bool
    files: int
    contents: int
    packs: int
    objects: int
    uploaded_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """What pulling did.

    Attributes:
        remote: The name of the shared index.
        place: Where its objects lie.
        branch: The branch whose index was taken: one's own, or else the grant's.
        commit: The commit that it is of; empty without git.
        epoch: The number of the publication.
        is_new: Whether it was another one than the last that was pulled.
        documents: How many documents were taken with their terms and vectors.
        fetched_bytes: The size of the objects that had to be fetched.
        seconds: How long it took, with the indexing of what is different here.
        index: The run that took the records in.
    """

    remote: str
    place: str
    branch: str
    commit: str
    epoch: int
    is_new: bool
    documents: int
    fetched_bytes: int
    seconds: float
    index: IndexReport


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteStatus:
    """How a shared index is, as far as its grant and a look at it say.

    Attributes:
        remote: Its name.
        repository: Its id.
        place: Where its objects lie.
        may_publish: Whether the grant may publish.
        publishers: Whose signatures are accepted.
        branch: The branch that was looked at.
        commit: The commit that was published; empty without git.
        epoch: The number of the publication; 0 if there is none.
        made_ns: When it was published.
        files: Files in it.
        packs: Packs of records in it.
        size_bytes: The size of its objects without the tree's inner nodes.
        problem: Why it can't be used; empty if it can.
    """

    remote: str
    repository: str
    place: str
    may_publish: bool
    publishers: tuple[str, ...]
    branch: str
    commit: str = ""
    epoch: int = 0
    made_ns: int = 0
    files: int = 0
    packs: int = 0
    size_bytes: int = 0
    problem: str = ""
