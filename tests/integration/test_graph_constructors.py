"""Making an instance uses the constructor of its type; naming the type does not."""

import pytest

from codecairn import Workspace
from support.repository import Repository

_PYTHON = {
    "web/request.py": '''class Request:
    """A request to a server."""

    def __init__(self, url):
        self.url = url


class Upload(Request):
    """A request with a body; its constructor is that of its base."""


class Ping(Request):
    def __init__(self):
        super().__init__("/ping")
''',
    "web/client.py": """from web.request import Ping, Request, Upload


def send(request: Request) -> Request:
    return request


def get(url):
    return send(Request(url))


def put(url):
    return send(Upload(url))


def ping():
    return send(Ping())
""",
}

_JAVA = {
    "src/main/java/shop/Order.java": """package shop;

public class Order {
    public Order(int count) {
    }

    public static Order empty() {
        return new Order(0);
    }
}
""",
    "src/main/java/shop/Cart.java": """package shop;

public class Cart {
    private Order last;

    Order buy() {
        return new Order(3);
    }
}
""",
}

_RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": """pub struct Order {
    count: u32,
}

impl Order {
    pub fn new(count: u32) -> Self {
        Self { count }
    }
}

impl Drop for Order {
    fn drop(&mut self) {}
}

pub fn buy(_before: &Order) -> Order {
    Order::new(3)
}
""",
}


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        (
            _PYTHON,
            "Request.__init__",
            [("get", "construct"), ("put", "construct"), ("Ping.__init__", "method_call")],
        ),
        (_PYTHON, "Ping.__init__", [("ping", "construct")]),
        (_JAVA, "Order.Order", [("Cart.buy", "construct"), ("Order.empty", "construct")]),
        (_RUST, "Order.new", [("buy", "method_call")]),
    ],
)
def test_constructor_is_used_where_an_instance_is_made_and_not_where_its_type_is_named(
    folder: Repository, files: dict[str, str], name: str, expected: list[tuple[str, str]]
) -> None:
    folder.write_all(files)
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers(name)
        sources = [(use.source.qualified_name if use.source else "", use.kind) for use in found]
        assert sources == expected
        assert not found.possible


def test_what_makes_or_derives_a_type_is_reached_by_its_constructor(folder: Repository) -> None:
    folder.write_all(_PYTHON)
    with Workspace.open(folder.root) as workspace:
        impact = workspace.graph.impact(symbol="Request.__init__")
        dependents = {each.definition.qualified_name: each.distance for each in impact.dependents}
        assert dependents == {
            "get": 1,
            "put": 1,
            "Upload": 1,
            "Ping": 1,
            "Ping.__init__": 1,
            "ping": 2,
        }


def test_what_is_decorated_depends_on_the_constructor_of_its_decorator(folder: Repository) -> None:
    folder.write_all(
        {
            "options.py": """class Option:
    def __init__(self, name):
        self.name = name

    def __call__(self, function):
        return function


def logged(function):
    return function
""",
            "commands.py": """import options
from options import Option, logged


@logged
@Option("port")
def serve():
    return 1


class Job:
    @options.Option("times")
    def run(self):
        return serve()
""",
        }
    )
    with Workspace.open(folder.root) as workspace:
        found = workspace.graph.callers("Option.__init__")
        assert [(use.source.qualified_name, use.kind) for use in found if use.source] == [
            ("serve", "construct"),
            ("Job.run", "construct"),
        ]
        impact = workspace.graph.impact(symbol="Option.__init__")
        assert [each.definition.qualified_name for each in impact.dependents] == [
            "serve",
            "Job.run",
        ]
        callers = workspace.graph.callers("logged", kinds=["call"])
        assert [use.source.qualified_name for use in callers if use.source] == ["serve"]
