"""Uses that the syntax of one language hides: type arguments, implicit interfaces, qualified names."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_GO = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "store.go": """package shop

type Store interface {
	Get(key string) string
	Close() error
}

type Disk struct{}

func (d *Disk) Get(key string) string { return key }
func (d *Disk) Close() error          { return nil }

type Lines struct{}

func (l Lines) Get(key string) int { return 0 }
func (l Lines) Close() error       { return nil }

type Half struct{}

func (h Half) Close() error { return nil }

func Map[T any](list []T) []T { return list }

func All() []int { return Map[int](nil) }
""",
}
_SCRIPT = {
    "api.ts": """export class Api {
  load<T>(id: string): Promise<T> {
    return fetchOne(id);
  }
}

export class Page {
  #api: Api;

  async show() {
    const order = await this.#api.load<Order>("a");
    return order;
  }
}
""",
}
_JAVA = {
    "src/main/java/shop/Evaluator.java": """package shop;

public class Evaluator {
    public static class Attribute {
        public int size;

        public int size() { return size; }
    }
}
""",
    "src/main/java/shop/Attribute.java": """package shop;

public class Attribute {
    public Attribute(String name) {
    }
}
""",
    "src/main/java/shop/Reader.java": """package shop;

public class Reader {
    Object inner() {
        return new Evaluator.Attribute();
    }

    Object outer() {
        return new Attribute("a");
    }
}
""",
}


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        (_GO, "Map", [("All", "call")]),
        (_SCRIPT, "Api.load", [("Page.show", "method_call")]),
        (_JAVA, "Evaluator.Attribute", [("Reader.inner", "construct")]),
        (_JAVA, "shop/Attribute.java::Attribute.Attribute", [("Reader.outer", "construct")]),
    ],
)
def test_uses_are_facts(
    folder: Repository, files: dict[str, str], name: str, expected: list[tuple[str, str]]
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers(name)
        assert [(use.source.qualified_name, use.kind) for use in found if use.source] == expected


def test_types_of_go_implement_the_interfaces_whose_methods_they_have(folder: Repository) -> None:
    folder.write_all(_GO)
    with Workspace.open(folder.root) as workspace:
        derived = workspace.graph.hierarchy("Store").derived
        assert [(kin.definition.name, kin.kind, kin.is_resolved) for kin in derived] == [
            ("Disk", "implement", True)
        ]
        assert [kin.definition.name for kin in workspace.graph.hierarchy("Disk").bases] == ["Store"]
        assert not workspace.graph.hierarchy("Lines").bases
