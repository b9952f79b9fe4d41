"""A line and a change belong to the type that holds them, not to the one that follows."""

import pytest

from codecairn import SymbolNotFound, Workspace
from support.repository import Repository

PYTHON = """class Account:
    email = 1
    name = 2


class Resource:
    body = 1
"""
C = """struct Account {
  int email;
}; // what is known of a customer
struct Resource {
  int body;
};
int two(void) { return 1; }
"""
GO = """package acme

// Account is a user.
type Account struct {
	Email string
	Key   []byte
}

// Resource is what an account owns.
type Resource struct {
	Body string
}
"""
JAVA = """enum Color {
    RED,
    GREEN
}

@Deprecated
interface Marker {
}

enum Size { SMALL, LARGE }
"""
TYPESCRIPT = """interface Account {
  email: string;
}

/** What an account owns. */
interface Resource {
  body: string;
}
type Id = string;
"""


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", PYTHON, "Account Account Account - - Resource Resource"),
        ("a.c", C, "Account Account Account Resource Resource Resource two"),
        (
            "a.go",
            GO,
            "- - Account Account Account Account Account - Resource Resource Resource Resource",
        ),
        ("A.java", JAVA, "Color Color Color Color - Marker Marker Marker - Size"),
        (
            "a.ts",
            TYPESCRIPT,
            "Account Account Account - Resource Resource Resource Resource Id",
        ),
    ],
)
def test_each_line_belongs_to_its_own_type(
    folder: Repository, path: str, text: str, names: str
) -> None:
    folder.write(path, text)
    with Workspace.open(folder.root) as workspace:
        found = []
        for line in range(1, len(names.split()) + 1):
            try:
                symbols = workspace.graph.callers(f"{path}:{line}").symbols
                found.append(symbols[0].name)
            except SymbolNotFound:
                found.append("-")
        assert found == names.split()


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("a.py", PYTHON, "email = 1", "email = 11"),
        ("a.c", C, "int email", "long email"),
        ("a.go", GO, "Email string", "Email int"),
        ("a.ts", TYPESCRIPT, "email: string", "email: number"),
    ],
)
def test_a_change_touches_the_type_it_is_in(
    repository: Repository, path: str, text: str, old: str, new: str
) -> None:
    repository.write(path, text)
    repository.commit()
    repository.write(path, text.replace(old, new))
    with Workspace.open(repository.root) as workspace:
        touched = workspace.graph.impact().touched
        assert [symbol.name for symbol in touched] == ["Account"]
