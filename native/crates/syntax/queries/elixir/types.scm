; Variables: what a pattern binds, in a clause of its own or in the function around.
(call
  target: (identifier) @_macro
  (arguments [(call (arguments) @pattern) (binary_operator left: (call (arguments) @pattern) operator: "when")])
  (#any-of? @_macro "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate"))
(binary_operator left: (_) @pattern operator: ["=" "<-"])
(stab_clause left: (_) @pattern)
(stab_clause) @block
(call (arguments . (string) . (_) @pattern) (do_block))
(call
  target: (identifier) @_macro
  (arguments . (_) @pattern)
  (do_block)
  (#any-of? @_macro "setup" "setup_all"))

; Names that are neither variables nor calls of their own: macros of the language, fields, attributes.
(call target: (identifier) @pattern)
(dot right: (identifier) @pattern)
(unary_operator operator: "@" operand: (identifier) @pattern)

; Specifications name types alone, and the function that they are about.
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments) @types)
  (#any-of? @_attribute "spec" "type" "typep" "opaque" "callback" "macrocallback"))
