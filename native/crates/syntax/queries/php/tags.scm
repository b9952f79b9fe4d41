; Modules and types.
(namespace_definition name: (namespace_name) @name) @definition.module
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum

; Functions.
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method

; Constants, properties (promoted ones too), cases and top-level variables.
(const_declaration (const_element (name) @name)) @definition.constant
(enum_case name: (name) @name) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name))) @definition.constant
(property_promotion_parameter name: (variable_name (name) @name)) @definition.constant
(program
  (expression_statement
    (assignment_expression left: (variable_name (name) @name))) @definition.constant)
(function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_function "define")) @definition.constant

; Bases; a trait that is used counts as implemented.
(class_declaration (base_clause [(name) (qualified_name)] @inherit))
(interface_declaration (base_clause [(name) (qualified_name)] @inherit))
(class_interface_clause [(name) (qualified_name)] @implement)
(use_declaration [(name) (qualified_name)] @implement)

; Calls.
(function_call_expression function: (name) @name) @reference.call
(function_call_expression
  function: (qualified_name prefix: (namespace_name) @receiver (name) @name)) @reference.call
(member_call_expression object: (_) @receiver name: (name) @name) @reference.call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @name) @reference.call
(scoped_call_expression scope: (_) @receiver name: (name) @name) @reference.call

; Construction.
(object_creation_expression (name) @name) @reference.construct
(object_creation_expression (qualified_name (name) @name)) @reference.construct

; Types in use.
(named_type (name) @name) @reference.type
(named_type (qualified_name (name) @name)) @reference.type
(attribute (name) @name) @reference.type
(attribute (qualified_name (name) @name)) @reference.type

; Imports of names, then of files.
(namespace_use_declaration
  (namespace_use_clause
    !alias
    [
      (name) @source
      (qualified_name prefix: (namespace_name) @source (name) @import.name)
    ])) @import
(namespace_use_declaration
  (namespace_use_clause
    (qualified_name prefix: (namespace_name) @source (name) @import.name)
    alias: (name) @import.alias)) @import
(namespace_use_declaration (namespace_use_clause . (name) @source alias: (name) @import.alias)) @import
(namespace_use_declaration
  (namespace_name) @source
  body: (namespace_use_group
    (namespace_use_clause !alias [(name) (qualified_name)] @import.name))) @import
(namespace_use_declaration
  (namespace_name) @source
  body: (namespace_use_group
    (namespace_use_clause . [(name) (qualified_name)] @import.name alias: (name) @import.alias))) @import
(require_expression [
  (string (string_content) @source)
  (binary_expression right: (string (string_content) @source))
  (parenthesized_expression (string (string_content) @source))
  (parenthesized_expression (binary_expression right: (string (string_content) @source)))
]) @import
(require_once_expression [
  (string (string_content) @source)
  (binary_expression right: (string (string_content) @source))
  (parenthesized_expression (string (string_content) @source))
  (parenthesized_expression (binary_expression right: (string (string_content) @source)))
]) @import
(include_expression [
  (string (string_content) @source)
  (binary_expression right: (string (string_content) @source))
  (parenthesized_expression (string (string_content) @source))
  (parenthesized_expression (binary_expression right: (string (string_content) @source)))
]) @import
(include_once_expression [
  (string (string_content) @source)
  (binary_expression right: (string (string_content) @source))
  (parenthesized_expression (string (string_content) @source))
  (parenthesized_expression (binary_expression right: (string (string_content) @source)))
]) @import
