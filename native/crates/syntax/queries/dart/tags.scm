(library_name (dotted_identifier_list) @name) @definition.module

; Types.
(class_declaration name: (identifier) @name) @definition.class
(mixin_declaration name: (identifier) @name) @definition.trait
(enum_declaration name: (identifier) @name) @definition.enum
(extension_declaration name: (identifier) @name) @definition.class
(extension_type_declaration name: (extension_type_name (identifier) @name)) @definition.class
(type_alias (type_identifier) @name) @definition.type

; Functions.
(function_declaration signature: (function_signature name: (identifier) @name)) @definition.function
(getter_declaration signature: (getter_signature name: (identifier) @name)) @definition.function
(setter_declaration signature: (setter_signature name: (identifier) @name)) @definition.function
(local_function_declaration (function_signature name: (identifier) @name)) @definition.function

; Members with a body. Of a named constructor `Class.name` the second name is its own.
(method_declaration signature: (method_signature [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (operator_signature operator: [(_) "[]" "[]=" "~"] @name)
  (constructor_signature name: (identifier) name: (identifier) @name)
  (constructor_signature name: (identifier) @name)
  (factory_constructor_signature name: (identifier) name: (identifier) @name)
  (factory_constructor_signature name: (identifier) @name)
])) @definition.method

; Members without one.
(declaration [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (operator_signature operator: [(_) "[]" "[]=" "~"] @name)
  (constructor_signature name: (identifier) name: (identifier) @name)
  (constructor_signature name: (identifier) @name)
  (constant_constructor_signature name: (identifier) name: (identifier) @name)
  (constant_constructor_signature name: (identifier) @name)
  (redirecting_factory_constructor_signature name: (identifier) name: (identifier) @name)
  (redirecting_factory_constructor_signature name: (identifier) @name)
]) @definition.method

; Fields, variables, enum values.
(declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @definition.constant
(declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.constant
(top_level_variable_declaration
  (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @definition.constant
(top_level_variable_declaration
  (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.constant
(extension_type_representation name: (identifier) @name) @definition.constant
(enum_entry name: (identifier) @name) @definition.constant

; Bases.
(superclass type: (type (type_identifier) @inherit))
(mixins (type (type_identifier) @implement))
(interfaces (type (type_identifier) @implement))
(mixin_declaration (type (type_identifier) @inherit))

; Calls.
(call_expression function: (identifier) @name) @reference.call
(call_expression
  function: (member_expression
    object: [(_) "this" "super"] @receiver
    property: (identifier) @name)) @reference.call
(call_expression
  function: (null_aware_member_expression
    object: [(_) "this" "super"] @receiver
    property: (identifier) @name)) @reference.call
(instantiation_expression function: (identifier) @name) @reference.call
(instantiation_expression
  function: (member_expression
    object: [(_) "this" "super"] @receiver
    property: (identifier) @name)) @reference.call
(cascade_call_expression property: (identifier) @name) @reference.call

(new_expression type: (type (type_identifier) @name)) @reference.construct
(const_object_expression type: (type (type_identifier) @name)) @reference.construct

(type (type_identifier) @name) @reference.type

; Imports.
(import_specification
  uri: [(uri) (configurable_uri)] @source
  alias: (identifier) @import.alias
  (combinator "show" (identifier) @import.name)) @import
(import_specification uri: [(uri) (configurable_uri)] @source (combinator "show" (identifier) @import.name)) @import
(import_specification uri: [(uri) (configurable_uri)] @source alias: (identifier) @import.alias) @import
(import_specification uri: [(uri) (configurable_uri)] @source) @import
(library_export uri: (configurable_uri) @source) @import
(part_directive (uri) @source) @import
