//! Words that mean something in some languages alone, and calls that a grammar reads as declarations.

use super::repository;

#[test]
fn the_word_of_one_language_is_a_name_in_another() {
    let found = repository(&[
        (
            "Base.java",
            "package a;\npublic abstract class Base<T extends Base<T>> {\n  protected abstract T self();\n  public T with(int x) { return self(); \
             }\n  void other(Base self, Base parent, Other base) {\n    self.close();\n    parent.close();\n    base.close();\n  }\n  void \
             close() {}\n}\nclass Derived extends Base {\n  void go(Other parent, Other self) { parent.close(); self.close(); }\n}\nclass Other \
             {\n  void close() {}\n}\n",
        ),
        (
            "lib/a.ex",
            "defmodule Task.Sup do\n  def start(owner) do\n    me = self()\n    send(owner, me)\n  end\nend\n",
        ),
        (
            "a.py",
            "class Up:\n    def shut(self): ...\n\n\nclass Down(Up):\n    def go(self, parent, base):\n        parent.shut()\n        \
             base.shut()\n        super().shut()\n        self.shut()\n",
        ),
        (
            "a.php",
            "<?php\nclass A {\n  function make() { return new static(); }\n  function more() { return new self(); }\n}\n",
        ),
        ("lib.rs", "pub struct S(u8);\nimpl S {\n    pub fn new() -> Self { Self(1) }\n}\n"),
    ]);
    found.check(&[
        ("Base.java", 4, "self", "Base.java:3 same-file"),
        ("Base.java", 6, "close", "Base.java:10 receiver"),
        ("Base.java", 7, "close", "Base.java:10 receiver"),
        ("Base.java", 8, "close", "Base.java:16 receiver"),
        ("Base.java", 13, "close", "Base.java:16 receiver"),
        ("lib/a.ex", 3, "self", "outside"),
        ("a.py", 9, "shut", "a.py:2 receiver"),
        ("a.py", 10, "shut", "a.py:2 receiver"),
        ("a.php", 3, "static", "a.php:2 same-file"),
        ("a.php", 4, "self", "a.php:2 same-file"),
        ("lib.rs", 3, "Self", "lib.rs:1 same-file"),
    ]);
    for line in [7, 8] {
        assert_eq!(found.target("a.py", line, "shut"), "a.py:2 unique-name");
    }
}

#[test]
fn calls_in_declarations_of_cpp_are_calls() {
    let found = repository(&[(
        "a.cpp",
        "int bound(int n) { return n; }\nint other() { return 1; }\nstruct Buf { Buf(char*, int, int); };\nvoid f(char* dest, int n) {\n    Buf \
         destBuf(dest, bound(n), other());\n    Buf b2{dest, bound(n), other()};\n    std::string s(std::to_string(bound(n)));\n    \
         std::lock_guard<std::mutex> g(other2());\n    Buf q(dest, ns::deep(n), pick<int>(n));\n}\nint& other2() { static int x; return x; \
         }\nnamespace ns { int deep(int n) { return n; } }\ntemplate <class T> int pick(T t) { return 1; }\nvoid proto(Buf (*)(int), int \
         (int));\n",
    )]);
    assert_eq!(found.callers("bound"), ["a.cpp:5 same-file", "a.cpp:6 same-file", "a.cpp:7 same-file"]);
    assert_eq!(found.callers("other"), ["a.cpp:5 same-file", "a.cpp:6 same-file"]);
    assert_eq!(found.callers("other2"), ["a.cpp:8 same-file"]);
    assert_eq!(found.callers("deep"), ["a.cpp:9 qualified"]);
    assert_eq!(found.callers("pick"), ["a.cpp:9 same-file"]);
}
