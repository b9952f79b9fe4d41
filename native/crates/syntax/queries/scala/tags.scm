; Modules and types.
(package_clause name: (package_identifier) @name body: (_)) @definition.module
(package_object name: (identifier) @name) @definition.module
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(type_definition name: (type_identifier) @name) @definition.type

; Functions; a declaration has no body.
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function

; Values, those of a class's parameters too, enum cases, named givens.
(compilation_unit [
  (val_definition pattern: (identifier) @name)
  (val_definition pattern: (tuple_pattern (identifier) @name))
  (var_definition pattern: (identifier) @name)
] @definition.constant)
(template_body [
  (val_definition pattern: (identifier) @name)
  (val_definition pattern: (tuple_pattern (identifier) @name))
  (var_definition pattern: (identifier) @name)
] @definition.constant)
(with_template_body [
  (val_definition pattern: (identifier) @name)
  (val_definition pattern: (tuple_pattern (identifier) @name))
  (var_definition pattern: (identifier) @name)
] @definition.constant)
(enum_body [
  (val_definition pattern: (identifier) @name)
  (val_definition pattern: (tuple_pattern (identifier) @name))
  (var_definition pattern: (identifier) @name)
] @definition.constant)
(val_declaration name: (identifier) @name) @definition.constant
(var_declaration name: (identifier) @name) @definition.constant
(class_parameter name: (identifier) @name) @definition.constant
(simple_enum_case name: (identifier) @name) @definition.constant
(full_enum_case name: (identifier) @name) @definition.constant
(given_definition name: (identifier) @name) @definition.constant

; Bases: the first may be a class, those after `with` are traits.
(class_definition extend: (extends_clause . type: [
  (type_identifier) @inherit
  (stable_type_identifier) @inherit
  (generic_type type: (type_identifier) @inherit)
]))
(class_definition extend: (extends_clause "with" . type: [
  (type_identifier) @implement
  (stable_type_identifier) @implement
  (generic_type type: (type_identifier) @implement)
]))
(trait_definition extend: (extends_clause . type: [
  (type_identifier) @inherit
  (stable_type_identifier) @inherit
  (generic_type type: (type_identifier) @inherit)
]))
(trait_definition extend: (extends_clause "with" . type: [
  (type_identifier) @implement
  (stable_type_identifier) @implement
  (generic_type type: (type_identifier) @implement)
]))
(object_definition extend: (extends_clause . type: [
  (type_identifier) @inherit
  (stable_type_identifier) @inherit
  (generic_type type: (type_identifier) @inherit)
]))
(object_definition extend: (extends_clause "with" . type: [
  (type_identifier) @implement
  (stable_type_identifier) @implement
  (generic_type type: (type_identifier) @implement)
]))
(enum_definition extend: (extends_clause . type: [
  (type_identifier) @inherit
  (stable_type_identifier) @inherit
  (generic_type type: (type_identifier) @inherit)
]))
(enum_definition extend: (extends_clause "with" . type: [
  (type_identifier) @implement
  (stable_type_identifier) @implement
  (generic_type type: (type_identifier) @implement)
]))

; Calls, with and without type arguments, and between operands.
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression value: (_) @receiver field: (identifier) @name)) @reference.call
(generic_function function: (identifier) @name) @reference.call
(generic_function function: (field_expression value: (_) @receiver field: (identifier) @name)) @reference.call
(infix_expression left: (_) @receiver operator: (identifier) @name) @reference.call

; Construction.
(instance_expression (type_identifier) @name) @reference.construct
(instance_expression (generic_type type: (type_identifier) @name)) @reference.construct
(instance_expression (compound_type base: (type_identifier) @name)) @reference.construct
(instance_expression (compound_type base: (applied_constructor_type (type_identifier) @name))) @reference.construct

(type_identifier) @name @reference.type

; Imports: the path is a row of identifiers; without a selector its last one is the name.
(import_declaration . (identifier) @source (identifier) @source . (namespace_wildcard) @import.name) @import
(import_declaration . (identifier) @source . (namespace_wildcard) @import.name) @import
(import_declaration
  .
  (identifier) @source
  (identifier) @source
  .
  (namespace_selectors [
    (identifier) @import.name
    (namespace_wildcard) @import.name
    (arrow_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)
    (as_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)
  ])) @import
(import_declaration
  .
  (identifier) @source
  .
  (namespace_selectors [
    (identifier) @import.name
    (namespace_wildcard) @import.name
    (arrow_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)
    (as_renamed_identifier name: (identifier) @import.name alias: (identifier) @import.alias)
  ])) @import
(import_declaration . (identifier) @source (identifier) @source . (identifier) @import.name .) @import
(import_declaration . (identifier) @source . (identifier) @import.name .) @import
(import_declaration . (identifier) @source .) @import

; Methods without parameters: a member that is read, and a name that stands alone.
(field_expression value: (_) @receiver field: (identifier) @name) @reference.bare
(identifier) @name @reference.bare
