//! Calls without parentheses and arguments.

use super::repository;

const BASE: &str = "class Base
  def render_404
    1
  end
  def bare
    render_404
  end
  def others(x)
    return render_404 unless find_it
    render_404 if x
    @a = render_404
    y = render_404
    foo(render_404)
    rescue_it { render_404 }
    send(:render_404)
    {render_404:}
  end
end
";

const CHILD: &str = "class Child < Base
  before_action :render_404, only: [:show]
  rescue_from Err, with: :render_404
  def show
    render_404
  rescue NotFound
    render_404
  end
  def local
    render_404 = 1
    render_404
    lambda { render_404 }
  end
  def parameter(render_404, other: render_404)
    [1].each { |x| render_404 }
  end
  def later
    [1].each { |render_404| render_404 }
    render_404
    render_404 += 1
    render_404
  end
  def render_404=(value)
  end
  def patterns(x)
    case x
    in {render_404:} then render_404
    end
  end
  def rescued
  rescue Err => render_404
    render_404
  end
  def self.whole
    render_404
  end
end
";

#[test]
fn a_name_alone_is_a_call_of_ruby_unless_it_is_a_variable() {
    let found = repository(&[("a.rb", BASE), ("b.rb", CHILD)]);
    let expected = [
        "a.rb:6 same-file",
        "a.rb:9 same-file",
        "a.rb:10 same-file",
        "a.rb:11 same-file",
        "a.rb:12 same-file",
        "a.rb:13 same-file",
        "a.rb:14 same-file",
        "a.rb:15 unique-name",
        "a.rb:16 same-file",
        "b.rb:2 unique-name",
        "b.rb:3 unique-name",
        "b.rb:5 receiver",
        "b.rb:7 receiver",
        "b.rb:19 receiver",
        "b.rb:35 unique-name",
    ];
    assert_eq!(found.callers("Base.render_404"), expected);
}

#[test]
fn a_method_that_a_module_of_ruby_has_elsewhere_is_a_candidate() {
    let found = repository(&[(
        "a.rb",
        "module AppHelper\n  def format_rev(r) = r\nend\nmodule RepoHelper\n  def show(x)\n    format_rev(x)\n    \
         format_rev\n  end\nend\nclass Ctl\n  include AppHelper\n  def act; format_rev(1); end\nend\nclass Other\n  \
         class Inner\n    def go; name_of; end\n  end\n  def name_of; end\nend\n",
    )]);
    assert_eq!(found.callers("format_rev"), ["a.rb:6 unique-name", "a.rb:7 unique-name", "a.rb:12 receiver"]);
    // A class does not have the methods of the one around it.
    assert_eq!(found.callers("name_of"), ["a.rb:16 unique-name"]);
}

#[test]
fn symbols_that_are_keys_and_names_of_other_classes_are_no_facts() {
    let found = repository(&[
        (
            "a.rb",
            "class Shelf\n  attr_reader :width\n  def length_of; end\n  def go\n    x = {length_of: 1}\n    call(length_of: 2)\n    \
             Struct.new(:length_of)\n  end\nend\n",
        ),
        ("b.rb", "class Box\n  def go\n    length_of\n  end\nend\ndef usage_text; end\n"),
        ("c.rb", "require 'usage_text'\nusage_text\n"),
    ]);
    assert_eq!(found.callers("length_of"), ["a.rb:7 unique-name", "b.rb:3 unique-name"]);
    assert_eq!(found.callers("usage_text"), ["c.rb:2 unique-name"]);
}

#[test]
fn a_name_alone_is_a_call_of_elixir_and_perl() {
    let found = repository(&[
        (
            "a.ex",
            "defmodule A do\n  def go(x) do\n    me = helper\n    helper\n    foo(helper, k: helper)\n    fn helper -> helper end\n  \
             end\n  def other(helper), do: helper\n  def bound do\n    helper = 1\n    helper\n  end\n  def helper, do: 1\n  \
             def matched(x) do\n    case x do\n      {:ok, helper} -> helper\n    end\n    helper\n  end\nend\n",
        ),
        (
            "a.pl",
            "sub helper3 { 1 }\nhelper3;\nmy $x = helper3;\nmy %h = (helper3 => 2);\n$h{helper3};\nreturn helper3 if $x;\n&helper3;\n",
        ),
    ]);
    assert_eq!(
        found.callers("A.helper"),
        ["a.ex:3 same-file", "a.ex:4 same-file", "a.ex:5 same-file", "a.ex:5 same-file", "a.ex:18 same-file"]
    );
    assert_eq!(
        found.callers("helper3"),
        ["a.pl:2 same-file", "a.pl:3 same-file", "a.pl:6 same-file", "a.pl:7 same-file"]
    );
}

#[test]
fn a_parameterless_method_of_scala_is_called_without_brackets() {
    let found = repository(&[(
        "a.scala",
        "object Util {\n  def noParens = 1\n  def go(sq: Square, y: Int) = {\n    val z = sq.area\n    noParens + y\n    f(noParens)\n    \
             sq.area.toString\n  }\n  def hidden(noParens: Int) = noParens\n}\nclass Square {\n  def area: Int = 2\n  val side = 1\n}\nobject \
             Main {\n  def run = Util.noParens + other.area\n}\n",
    )]);
    assert_eq!(found.callers("Util.noParens"), ["a.scala:5 same-file", "a.scala:6 same-file", "a.scala:16 receiver"]);
    assert_eq!(found.callers("Square.area"), ["a.scala:4 receiver", "a.scala:7 receiver", "a.scala:16 unique-name"]);
}

#[test]
fn a_value_of_haskell_is_used_by_its_name_alone() {
    let found = repository(&[(
        "M.hs",
        "module M where\ntop = 1\nother = top + 1\nxs = [top, other]\nf top = top\ng x = x + h\n  where h = top\nk = \\top -> top\ndo1 = do\n  \
         top <- other\n  return top\n",
    )]);
    assert_eq!(found.callers("top"), ["M.hs:3 same-file", "M.hs:4 same-file", "M.hs:7 same-file"]);
}

#[test]
fn a_property_is_called_by_reading_it() {
    let found = repository(&[
        (
            "a.py",
            "class Box:\n    @property\n    def width(self):\n        return 1\n\n    def area(self):\n        if self.width > 2:\n            \
             return self.width * 2\n        return self.width.real\n\n\ndef go(box: Box, width):\n    print(f\"{box.width}\")\n    box.width = 3\n    \
             return box.width + width\n",
        ),
        (
            "a.js",
            "class Box {\n  get height() { return 1 }\n  area() {\n    if (this.height > 2) return this.height * 2\n    return \
             `${this.height}`\n  }\n}\nfunction go(height) {\n  const box = new Box()\n  box.height = 3\n  return box.height + height\n}\n",
        ),
    ]);
    assert_eq!(
        found.callers("width"),
        ["a.py:7 receiver", "a.py:8 receiver", "a.py:9 receiver", "a.py:13 receiver", "a.py:15 receiver"]
    );
    assert_eq!(
        found.callers("height"),
        ["a.js:4 receiver", "a.js:4 receiver", "a.js:5 receiver", "a.js:10 receiver", "a.js:11 receiver"]
    );
}
