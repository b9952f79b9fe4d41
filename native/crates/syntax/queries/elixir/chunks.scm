; A definition is a call of a macro that defines.
(call
  target: (identifier) @_macro
  (#any-of? @_macro "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate")) @unit.clause
(call
  target: (identifier) @_macro
  (arguments (string (quoted_content) @name))
  (do_block)
  (#any-of? @_macro "test" "property")) @unit
(call target: (identifier) @name (do_block) (#any-of? @name "setup" "setup_all")) @unit

(call
  target: (identifier) @_macro
  (arguments (keywords (pair value: (alias) @scope)))
  (do_block)
  (#eq? @_macro "defimpl")) @container
(call
  target: (identifier) @_macro
  (arguments (string (quoted_content) @name))
  (do_block)
  (#eq? @_macro "describe")) @container
(call
  target: (identifier) @_macro
  (do_block)
  (#any-of? @_macro "defmodule" "defprotocol" "defimpl" "describe")) @container

(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute)
  (#any-of? @_attribute "doc" "spec" "impl" "typedoc" "deprecated" "since" "tag" "dialyzer")) @attribute

(comment) @comment
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute (arguments (string) @comment))
  (#any-of? @_attribute "doc" "moduledoc" "typedoc"))
