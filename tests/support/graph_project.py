"""A small project in four languages, in which each use has one right answer."""

GRAPH_PROJECT = {
    "shop/__init__.py": "from shop.base import Base\n",
    "shop/base.py": '''"""Baskets."""


class Base:
    """What every basket can do."""

    def run(self):
        return self.step()

    def step(self):
        return 1


class Child(Base):
    def step(self):
        return helper(2)


def helper(number):
    """Add one."""
    return number + 1


def lonely():
    return 3


def _hidden():
    return 4


def verify(token):
    """Check a token."""
    return helper(len(token))


def ping(count):
    return pong(count)


def pong(count):
    return ping(count - 1)
''',
    "shop/api.py": '''"""What customers call."""

from shop.base import Child, verify

LIMIT = verify("top")


def login(token):
    child = Child()
    child.run()
    return verify(token)


def other(thing):
    return thing.step()
''',
    "tests/test_api.py": """from shop.api import login


def test_login():
    assert login("x")
""",
    "web/money.ts": """export interface Priced {
  price(): number;
}

export class Item implements Priced {
  price(): number {
    return round(3);
  }
}

export function round(value: number): number {
  return Math.round(value);
}
""",
    "web/cart.ts": """import { Item, round } from "./money";

export function total(): number {
  const item = new Item();
  return round(item.price());
}
""",
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "store/store.go": """package store

// Save keeps a value.
func Save(value string) string {
	return clean(value)
}

func clean(value string) string {
	return value
}
""",
    "main.go": """package main

import "example.com/shop/store"

func main() {
	store.Save("x")
}
""",
    "src/main/java/shop/Animal.java": """package shop;

public abstract class Animal {
    public abstract String sound();

    public String speak() {
        return sound();
    }
}
""",
    "src/main/java/shop/Dog.java": """package shop;

public class Dog extends Animal {
    @Override
    public String sound() {
        return "woof";
    }
}
""",
}
