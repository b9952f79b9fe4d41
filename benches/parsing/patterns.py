"""Short texts that make a parser work or allocate too much when they are repeated."""

PATTERNS = (
    "(", "[", "{", "{\n", "()", "([{", "f(", "f(a,", "a[", "a+", "a-", "a*b+", "a,", "a.b", "a:", "a::b", "a;", "a b ",
    "a=", "a->", "a=>\n", "(a)->", "a<", "a<b,", "<a>", "</a>", "<a b=", "a?b:", "a if ", "!", "-", "- ", "{-", "(*", "/*",
    "//\n", "#", "<!--", '"', "'", "`", '"${', "<<A\n", "\\", "$", "@a\n", "#if a\n", "if a\n", "if a:\n ", "else\n",
    "class A {\n", "fn a() {\n", "begin\n", "{{", "1 ", "\t", "\n", "é",
)  # fmt: skip
"""In no language is any of them source when repeated for megabytes."""

PREFIXES = {"php": "<?php\n"}
"""The prefix that a grammar needs to read the rest as code."""
