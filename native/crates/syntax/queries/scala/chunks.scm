(function_definition) @unit

(class_definition) @container
(trait_definition) @container
(object_definition) @container
(enum_definition) @container
(package_object) @container
(package_clause body: (_)) @container
(given_definition
  !name
  return_type: (generic_type type: (type_identifier) @scope)
  body: (with_template_body)) @container
(given_definition !name return_type: (type_identifier) @scope body: (with_template_body)) @container
(given_definition body: (with_template_body)) @container
(extension_definition parameters: (parameters (parameter type: [
  (type_identifier) @scope
  (generic_type type: (type_identifier) @scope)
]))) @container
(extension_definition) @container

; Blocks of tests: `"name" in { … }`, `test("name") { … }`.
(infix_expression
  left: (string) @name
  operator: (identifier) @_operator
  (#any-of? @_operator "should" "must" "can" "when" "that")) @container
(infix_expression left: (string) @name operator: (identifier) @_operator (#eq? @_operator "in")) @unit
(call_expression
  function: (call_expression function: (identifier) @_function arguments: (arguments . (string) @name))
  arguments: (block)
  (#any-of? @_function "test" "it" "property" "scenario")) @unit
(call_expression
  function: (call_expression function: (identifier) @_function arguments: (arguments . (string) @name))
  arguments: (block)
  (#any-of? @_function "describe" "feature")) @container

[(comment) (block_comment)] @comment
