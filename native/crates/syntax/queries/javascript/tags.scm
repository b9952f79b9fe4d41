(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (identifier) @name) @definition.class
; What is written to a prototype as a whole, or copied to it, belongs to its type.
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @scope property: (property_identifier) @_prototype)
  right: (object (method_definition name: [(property_identifier) (string)] @name) @definition.method)
  (#eq? @_prototype "prototype"))
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @scope property: (property_identifier) @_prototype)
  right: (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function) (function_expression) (generator_function)]) @definition.method)
  (#eq? @_prototype "prototype"))
(call_expression arguments: (arguments
  . (member_expression object: [(identifier) (member_expression)] @scope property: (property_identifier) @_prototype)
  . (object (method_definition name: [(property_identifier) (string)] @name) @definition.method))
  (#eq? @_prototype "prototype"))
(call_expression arguments: (arguments
  . (member_expression object: [(identifier) (member_expression)] @scope property: (property_identifier) @_prototype)
  . (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function) (function_expression) (generator_function)]) @definition.method))
  (#eq? @_prototype "prototype"))
(method_definition name: [(property_identifier) (private_property_identifier) (string) (number)] @name) @definition.method
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @definition.method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @definition.constant
(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression)]) @definition.method
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(assignment_expression left: [(identifier) (member_expression)] @name right: (class)) @definition.class
; What a file exports without a name of its own.
(export_statement
  "default" @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(export_statement "default" @name value: (class)) @definition.class
; What is called with a list of options is a component or a configuration, and no function.
(export_statement
  "default" @name
  value: (call_expression
    arguments: (arguments . [(identifier) (string) (member_expression) (call_expression)]))) @definition.constant

(program [
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant)
])
(program (export_statement declaration: [
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant)
]))

(class_heritage [(identifier) (member_expression) (call_expression)] @inherit)

(call_expression function: (member_expression
  object: (_) @receiver
  property: [(property_identifier) (private_property_identifier)] @name)) @reference.call
(call_expression function: (identifier) @name) @reference.call
(new_expression constructor: (member_expression object: (_) @receiver property: (property_identifier) @name)) @reference.construct
(new_expression constructor: (identifier) @name) @reference.construct
(jsx_opening_element name: (identifier) @name (#match? @name "^[A-Z]")) @reference.construct
(jsx_self_closing_element name: (identifier) @name (#match? @name "^[A-Z]")) @reference.construct

(import_statement (import_clause (identifier) @import.alias) source: (string) @source) @import
(import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (string) @source) @import
(import_statement
  (import_clause (named_imports (import_specifier name: [(_) "default"] @import.name alias: (identifier) @import.alias)))
  source: (string) @source) @import
(import_statement
  (import_clause (named_imports (import_specifier name: [(_) "default"] @import.name)))
  source: (string) @source) @import
(import_statement source: (string) @source) @import
(export_statement
  (export_clause (export_specifier name: [(_) "default"] @import.name alias: [(_) "default"] @import.alias))
  source: (string) @source) @import
(export_statement (export_clause (export_specifier name: [(_) "default"] @import.name)) source: (string) @source) @import
(export_statement source: (string) @source) @import
(variable_declarator
  name: [
    (identifier) @import.alias
    (object_pattern (shorthand_property_identifier_pattern) @import.name)
    (object_pattern (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias))
  ]
  value: (call_expression function: (identifier) @_function arguments: (arguments . (string) @source))
  (#eq? @_function "require")) @import
(call_expression
  function: (identifier) @_function
  arguments: (arguments . (string) @source)
  (#eq? @_function "require")) @import
(call_expression function: (import) arguments: (arguments . (string) @source)) @import

; Functions and types that are handed on, kept or returned as values.
(arguments [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(pair value: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(array [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(variable_declarator value: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(assignment_expression right: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(return_statement [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(export_statement value: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(assignment_pattern right: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(arrow_function body: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(ternary_expression consequence: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(ternary_expression alternative: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(field_definition value: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(jsx_expression [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(object (shorthand_property_identifier) @name @reference.value)

; Members that are read, which getters compute.
(member_expression object: (_) @receiver property: (property_identifier) @name) @reference.bare
(member_expression object: (_) @receiver property: (private_property_identifier) @name) @reference.bare
