; Values.
(variable_declarator
  name: (identifier) @binding
  value: [
    (new_expression) (call_expression) (await_expression) (member_expression) (identifier) (subscript_expression)
  ] @binding.value)
(field_definition
  property: [(property_identifier) (private_property_identifier)] @binding
  value: [(new_expression) (call_expression)] @binding.value)
(assignment_expression
  left: [(member_expression) (identifier)] @binding
  right: [
    (new_expression) (call_expression) (await_expression) (member_expression) (identifier)
  ] @binding.assigned)
(statement_block [
  (lexical_declaration (variable_declarator name: (identifier) @binding value: (object) @binding.value))
  (variable_declaration (variable_declarator name: (identifier) @binding value: (object) @binding.value))
])
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @binding)
  value: [(call_expression) (await_expression) (identifier)] @binding.member)

; What functions return without saying so.
(function_declaration
  name: (identifier) @binding
  body: (statement_block (return_statement [
    (call_expression) (new_expression) (identifier) (this) (member_expression) (await_expression) (object)
  ] @binding.result)))
(method_definition
  name: [(property_identifier) (private_property_identifier)] @binding
  body: (statement_block (return_statement [
    (call_expression) (new_expression) (identifier) (this) (member_expression) (await_expression) (object)
  ] @binding.result)))
(variable_declarator
  name: (identifier) @binding
  value: (arrow_function body: (statement_block (return_statement [
    (call_expression) (new_expression) (identifier) (member_expression) (await_expression) (object)
  ] @binding.result))))
(variable_declarator
  name: (identifier) @binding
  value: (arrow_function body: [
    (call_expression) (new_expression) (member_expression) (await_expression) (parenthesized_expression (object))
  ] @binding.result))
(pair
  key: (property_identifier) @binding
  value: [
    (arrow_function body: (statement_block (return_statement [
      (call_expression) (new_expression) (identifier) (this) (member_expression) (object)
    ] @binding.result)))
    (function_expression body: (statement_block (return_statement [
      (call_expression) (new_expression) (identifier) (this) (member_expression) (object)
    ] @binding.result)))
  ])

; What a file exports under another name.
(export_statement !source (export_clause (export_specifier name: [(_) "default"] @binding.value alias: [(_) "default"] @binding)))
(export_statement "default" @binding value: (identifier) @binding.value)
(export_statement
  "default" @binding
  value: (call_expression
    arguments: (arguments . [(identifier) (string) (member_expression) (call_expression)])) @binding.value)
(export_statement "default" @binding declaration: [
  (function_declaration name: (_) @binding.value)
  (class_declaration name: (_) @binding.value)
])

; Elements.
(for_in_statement
  left: (identifier) @binding
  right: [(call_expression) (member_expression) (identifier)] @binding.element)

; What a list hands to a function, one after the other.
(call_expression
  function: (member_expression object: (_) @binding.element property: (property_identifier) @_method)
  arguments: (arguments . (arrow_function parameters: (formal_parameters . (identifier) @binding)))
  (#any-of? @_method
    "every" "filter" "find" "findIndex" "findLast" "flatMap" "forEach" "map" "some" "sort"))
(call_expression
  function: (member_expression object: (_) @binding.element property: (property_identifier) @_method)
  arguments: (arguments . (arrow_function parameter: (identifier) @binding))
  (#any-of? @_method
    "every" "filter" "find" "findIndex" "findLast" "flatMap" "forEach" "map" "some" "sort"))

; Locals.
(catch_clause parameter: (identifier) @local)
(assignment_pattern left: (identifier) @local)
(rest_pattern (identifier) @local)
(array_pattern (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(arrow_function parameter: (identifier) @local)
(statement_block [
  (lexical_declaration (variable_declarator name: (identifier) @local))
  (variable_declaration (variable_declarator name: (identifier) @local))
])
(for_in_statement left: (identifier) @local)
(formal_parameters (identifier) @local)

; Functions without a name.
[(arrow_function) (function_expression) (generator_function)] @closure

; Functions that an object holds under another name.
(variable_declarator
  value: (object (pair key: (property_identifier) @binding value: [(identifier) (member_expression)] @binding.entry)))
(assignment_expression
  left: (member_expression) @_exports
  right: (object (pair key: (property_identifier) @binding value: [(identifier) (member_expression)] @binding.entry))
  (#eq? @_exports "module.exports"))
(export_statement
  "default"
  value: (object (pair key: (property_identifier) @binding value: [(identifier) (member_expression)] @binding.entry)))
