; Modules.
(call
  target: (identifier) @_macro
  (arguments (alias) @name)
  (do_block)
  (#eq? @_macro "defmodule")) @definition.module
(call
  target: (identifier) @_macro
  (arguments (alias) @name)
  (do_block)
  (#eq? @_macro "defprotocol")) @definition.interface

; Functions: the head is a bare name or a call, with or without guards. The number of arguments is a part of the name.
(call
  target: (identifier) @_macro
  (arguments [
    (identifier) @name
    (call target: (identifier) @name (arguments)? @arguments)
    (binary_operator left: (call target: (identifier) @name (arguments)? @arguments) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")
    (binary_operator
      operator: [
        "==" "!=" "===" "!==" "=~" "<" ">" "<=" ">=" "+" "-" "*" "/" "**" "++" "--" "<>" "|>" "|||" "&&&" "<<<" ">>>"
        "~>" "<~" "and" "or" "in" ".."
      ] @name)
  ])
  (#any-of? @_macro "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate")) @definition.function

; Attributes: types, callbacks, and all that are not reserved.
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#any-of? @_attribute "type" "typep" "opaque")) @definition.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments [
      (binary_operator left: (call target: (identifier) @name) operator: "::")
      (binary_operator
        left: (binary_operator left: (call target: (identifier) @name) operator: "::")
        operator: "when")
    ]))
  (#any-of? @_attribute "callback" "macrocallback")) @definition.function
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @name (arguments))
  (#not-any-of? @name
    "doc" "moduledoc" "typedoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "optional_callbacks" "impl"
    "behaviour" "deprecated" "since" "derive" "enforce_keys" "tag" "moduletag" "describetag" "dialyzer"
    "external_resource" "compile" "before_compile" "after_compile"
    "on_load" "on_definition" "fallback_to_any")) @definition.constant

; Bases: a behaviour, and the protocol that a defimpl serves.
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute (arguments (alias) @implement))
  (#eq? @_attribute "behaviour"))
(call
  target: (identifier) @_macro
  (arguments (alias) @implement)
  (do_block)
  (#eq? @_macro "defimpl"))

; Types in use look like calls.
(binary_operator operator: "::" right: (call target: (identifier) @name) @reference.type)

; Calls.
(call target: (dot left: (_) @receiver right: (identifier) @name) (arguments)) @reference.call
(call target: (dot left: (alias) @receiver right: (identifier) @name)) @reference.call
(call
  target: (identifier) @name
  (#not-any-of? @name
    "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defmodule" "defprotocol" "defimpl"
    "defstruct" "defexception" "alias" "import" "require" "use" "if" "unless" "case" "cond" "with" "for" "quote"
    "unquote" "try" "receive" "doc" "moduledoc" "typedoc" "spec" "type" "typep" "opaque" "callback" "impl"
    "behaviour" "describe" "test" "setup")) @reference.call

(struct (alias) @name) @reference.construct

; Imports; the alias of several modules names each in a tuple.
(call
  target: (identifier) @_macro
  (arguments (alias) @source (keywords (pair value: (alias) @import.alias)))
  (#any-of? @_macro "alias" "require")) @import
(call
  target: (identifier) @_macro
  (arguments (dot left: (alias) @source right: (tuple (alias) @import.name)))
  (#any-of? @_macro "alias" "import" "require" "use")) @import
(call
  target: (identifier) @_macro
  (arguments (alias) @source)
  (#any-of? @_macro "alias" "import" "require" "use")) @import

; Names that stand alone.
(identifier) @name @reference.bare
