; Types.
(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(trait_declaration name: (identifier) @name) @definition.trait
(enum_declaration name: (identifier) @name) @definition.enum

; Functions.
(method_declaration name: (_) @name) @definition.function
(constructor_declaration name: (identifier) @name) @definition.method

; Fields, enum constants, variables of a script.
(field_declaration (variable_declarator name: (identifier) @name)) @definition.constant
(enum_constant name: (identifier) @name) @definition.constant
(source_file (local_variable_declaration (variable_declarator name: (identifier) @name)) @definition.constant)

; Bases.
(superclass [
  (type_identifier) @inherit
  (generic_type base: (_) @inherit)
])
(super_interfaces [
  (type_identifier) @implement
  (generic_type base: (_) @implement)
])
(extends_interfaces [
  (type_identifier) @inherit
  (generic_type base: (_) @inherit)
])

; Calls. Before a closure (`list.each { … }`) the grammar sees a statement of its own.
(method_invocation function: (identifier) @name) @reference.call
(method_invocation function: (field_access object: (_) @receiver field: (identifier) @name)) @reference.call
(method_invocation
  function: (safe_navigation_expression object: (_) @receiver property: (identifier) @name)) @reference.call
(expression_statement (field_access object: (_) @receiver field: (identifier) @name)) @reference.call
(command_chain receiver: (identifier) @name) @reference.call

(object_creation_expression type: [
  (type_identifier) @name
  (generic_type base: (type_identifier) @name)
]) @reference.construct

; Types in use.
(formal_parameter type: (type_identifier) @name @reference.type)
(closure_parameter type: (type_identifier) @name @reference.type)
(field_declaration type: (type_identifier) @name @reference.type)
(local_variable_declaration type: (type_identifier) @name @reference.type)
(method_declaration return_type: (type_identifier) @name @reference.type)
(generic_type base: (type_identifier) @name @reference.type)
(type_arguments (type_identifier) @name @reference.type)
(annotation name: (_) @name) @reference.type

; Imports: the path is a row of identifiers; its last one is the name unless all are imported.
(import_declaration name: (qualified_name) @source ".*" @import.name) @import
(import_declaration
  name: (qualified_name . (identifier) @source (identifier) @source . (identifier) @import.name .)
  alias: (identifier)? @import.alias
  (#not-match? @import "[*]$")) @import
(import_declaration
  name: (qualified_name . (identifier) @source . (identifier) @import.name .)
  alias: (identifier)? @import.alias
  (#not-match? @import "[*]$")) @import
