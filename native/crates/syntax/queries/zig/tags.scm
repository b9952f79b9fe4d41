; Types are constants with a type for a value.
(variable_declaration "const" . (identifier) @name (struct_declaration)) @definition.struct
(variable_declaration "const" . (identifier) @name (union_declaration)) @definition.struct
(variable_declaration "const" . (identifier) @name (enum_declaration)) @definition.enum
(variable_declaration "const" . (identifier) @name (error_set_declaration)) @definition.enum
(variable_declaration "const" . (identifier) @name (opaque_declaration)) @definition.type
(function_declaration name: (identifier) @name type: (builtin_type "type") body: (_)) @definition.struct

(function_declaration name: (identifier) @name) @definition.function
(test_declaration [
  (string) @name
  (identifier) @name
]) @definition.function

; Constants, variables, fields, members of error sets.
(source_file [
  (variable_declaration "const" . (identifier) @name)
  (variable_declaration "var" . (identifier) @name)
] @definition.constant)
(struct_declaration [
  (variable_declaration "const" . (identifier) @name)
  (variable_declaration "var" . (identifier) @name)
] @definition.constant)
(union_declaration [
  (variable_declaration "const" . (identifier) @name)
  (variable_declaration "var" . (identifier) @name)
] @definition.constant)
(enum_declaration [
  (variable_declaration "const" . (identifier) @name)
  (variable_declaration "var" . (identifier) @name)
] @definition.constant)
(opaque_declaration [
  (variable_declaration "const" . (identifier) @name)
  (variable_declaration "var" . (identifier) @name)
] @definition.constant)
(container_field name: (identifier) @name) @definition.constant
(error_set_declaration (identifier) @name @definition.constant)

; Imports.
(variable_declaration
  "const"
  .
  (identifier) @import.alias
  (builtin_function (builtin_identifier) @_builtin (arguments (string (string_content) @source)))
  (#eq? @_builtin "@import")) @import
(variable_declaration
  "const"
  .
  (identifier) @import.alias
  (field_expression
    object: (builtin_function (builtin_identifier) @_builtin (arguments (string (string_content) @source)))
    member: (identifier) @import.name)
  (#eq? @_builtin "@import")) @import
(builtin_function
  (builtin_identifier) @_builtin
  (arguments (string (string_content) @source))
  (#any-of? @_builtin "@import" "@cInclude" "@embedFile")) @import

; Calls and construction.
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression object: (_) @receiver member: (identifier) @name)) @reference.call
(struct_initializer (identifier) @name) @reference.construct
(struct_initializer (field_expression object: (_) @receiver member: (identifier) @name)) @reference.construct

; Types in use.
(parameter type: (identifier) @name @reference.type)
(container_field type: (identifier) @name @reference.type)
(variable_declaration type: (identifier) @name @reference.type)
(function_declaration type: (identifier) @name @reference.type)
(pointer_type (identifier) @name @reference.type)
(nullable_type (identifier) @name @reference.type)
(slice_type (identifier) @name @reference.type)
(array_type (identifier) @name @reference.type)
(error_union_type ok: (identifier) @name @reference.type)
(error_union_type error: (identifier) @name @reference.type)
