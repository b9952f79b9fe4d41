(function_declaration name: (identifier) @name) @definition.function
(function_signature name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
(method_definition name: [(property_identifier) (private_property_identifier) (string) (number)] @name) @definition.method
(method_signature name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.method
(abstract_method_signature name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @definition.method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.constant
(interface_body (property_signature name: [(property_identifier) (string)] @name) @definition.constant)
(enum_body (property_identifier) @name @definition.constant)
(enum_assignment name: (property_identifier) @name) @definition.constant
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
(export_statement declaration: [
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant)
])
(ambient_declaration [
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant)
])

(extends_clause value: [(identifier) (member_expression) (call_expression)] @inherit)
(implements_clause [(type_identifier) (nested_type_identifier) (generic_type)] @implement)
(extends_type_clause type: [(type_identifier) (nested_type_identifier) (generic_type)] @inherit)

(call_expression function: (member_expression
  object: (_) @receiver
  property: [(property_identifier) (private_property_identifier)] @name)) @reference.call
(call_expression function: (identifier) @name) @reference.call
(new_expression constructor: (member_expression object: (_) @receiver property: (property_identifier) @name)) @reference.construct
(new_expression constructor: (identifier) @name) @reference.construct
(nested_type_identifier module: (_) @receiver name: (type_identifier) @name) @reference.type
(type_identifier) @name @reference.type

(import_statement (import_clause (identifier) @import.alias) source: (string) @source) @import
(import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (string) @source) @import
(import_statement
  (import_clause (named_imports (import_specifier name: [(_) "default"] @import.name alias: (identifier) @import.alias)))
  source: (string) @source) @import
(import_statement
  (import_clause (named_imports (import_specifier name: [(_) "default"] @import.name)))
  source: (string) @source) @import
(import_statement (import_require_clause (identifier) @import.alias source: (string) @source)) @import
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

; A call with type arguments of what is awaited: `await api.load<Order>(id)`.
(call_expression function: (await_expression [
  (identifier) @name
  (member_expression object: (_) @receiver property: [(property_identifier) (private_property_identifier)] @name)
])) @reference.call
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
(public_field_definition value: [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
(object (shorthand_property_identifier) @name @reference.value)

; Members that are read, which getters compute.
(member_expression object: (_) @receiver property: (property_identifier) @name) @reference.bare
(member_expression object: (_) @receiver property: (private_property_identifier) @name) @reference.bare
