"""What libraries define: a value of theirs has none of the project's members, and no candidates either."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_GO = {
    "go.mod": "module example.com/shop\n",
    "shop.go": """package shop

import (
	"net/http"
	"net/http/httptest"
	"sync"
)

type Reply struct{ raw *http.Response }

func (r *Reply) Header() http.Header { return r.raw.Header }
func (r *Reply) Error() string       { return "" }
func (r *Reply) Put(value any)       {}

type Client struct{ inner *http.Client }

var pool = &sync.Pool{}

func (c *Client) Inner() *http.Client { return c.inner }

func run(c *Client, request *http.Request) {
	recorder := httptest.NewRecorder()
	recorder.Header()
	response, err := c.inner.Do(request)
	response.Trailer.Header()
	err.Error()
	pool.Put(err)
	c.Inner().Jar.Put(nil)
	other := check()
	other.Error()
	reply, failure := open()
	reply.Error()
	failure.Error()
}

func check() error { return nil }

func open() (reply *Reply, failure error) { return nil, nil }
""",
}
_JAVA = {
    "src/shop/Price.java": """package shop;

import java.util.Currency;

class Price implements Comparable<Price> {
    String code;

    static String symbol(String code) {
        return Currency.getInstance(code).getSymbol();
    }

    public int compareTo(Price other) {
        return code.compareTo(other.code);
    }

    String getSymbol() {
        return code;
    }

    static void report(OutOfMemoryError error) {
        error.printStackTrace();
    }

    void printStackTrace() {
    }
}
"""
}


@pytest.mark.parametrize(
    ("files", "path", "names", "known"),
    [
        (_GO, "shop.go", {"Header", "Error", "Put"}, {32}),
        (_JAVA, "src/shop/Price.java", {"getSymbol", "compareTo", "printStackTrace"}, set()),
    ],
    ids=["go", "java"],
)
def test_value_of_a_library_has_no_member_of_the_project(
    folder: Repository, files: dict[str, str], path: str, names: set[str], known: set[int]
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        calls = [edge for edge in workspace.graph.edges(path) if edge.kind == "method_call"]
        calls = [edge for edge in calls if edge.name in names]
        assert {edge.line for edge in calls if edge.is_resolved} == known
        assert {edge.how for edge in calls if edge.line not in known} == {"outside"}


def test_overloads_with_different_results_give_none_of_them(folder: Repository) -> None:
    engine = """class Engine {
    Uber uber() { return null; }
    static Special uber(int kind) { return null; }
    Uber same() { return null; }
    Uber same(int kind) { return null; }

    void run() {
        uber().version();
        same().version();
    }
}
"""
    folder.write_all(
        {
            "src/Engine.java": engine,
            "src/Uber.java": "class Uber { void version() {} }\n",
            "src/Special.java": "class Special extends Uber { void version() {} }\n",
        }
    )
    with Workspace.open(folder.root) as workspace:
        calls = [
            edge for edge in workspace.graph.edges("src/Engine.java") if edge.name == "version"
        ]
        assert [(edge.line, edge.is_resolved) for edge in calls] == [(8, False), (9, True)]
        assert calls[1].targets[0].path == "src/Uber.java"
