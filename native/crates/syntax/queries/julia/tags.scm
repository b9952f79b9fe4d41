; Modules and types.
(module_definition name: (identifier) @name) @definition.module
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))
])) @definition.struct
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))
])) @definition.type
(primitive_definition (type_head [
  (identifier) @name
  (binary_expression . (identifier) @name)
])) @definition.type
(macrocall_expression
  (macro_identifier) @_macro
  (macro_argument_list . (identifier) @name)
  (#eq? @_macro "@enum")) @definition.enum

; Functions: the head may have a type of result and `where`.
(function_definition (signature (identifier) @name)) @definition.function
(function_definition (signature
  (call_expression . [
    (identifier) @name
    (field_expression) @name
    (operator) @name
    (parametrized_type_expression . [(identifier) (field_expression)] @name)
  ]))) @definition.function
(function_definition (signature
  (typed_expression . (call_expression . [
    (identifier) @name
    (field_expression) @name
    (operator) @name
    (parametrized_type_expression . [(identifier) (field_expression)] @name)
  ])))) @definition.function
(function_definition (signature
  (where_expression . (call_expression . [
    (identifier) @name
    (field_expression) @name
    (operator) @name
    (parametrized_type_expression . [(identifier) (field_expression)] @name)
  ])))) @definition.function
(function_definition (signature
  (where_expression . (typed_expression . (call_expression . [
    (identifier) @name
    (field_expression) @name
    (operator) @name
    (parametrized_type_expression . [(identifier) (field_expression)] @name)
  ]))))) @definition.function
(macro_definition (signature (call_expression . (identifier) @name))) @definition.function
(assignment .
  (call_expression . [
    (identifier) @name
    (field_expression) @name
    (operator) @name
    (parametrized_type_expression . [(identifier) (field_expression)] @name)
  ])) @definition.function
(assignment .
  (typed_expression . (call_expression . [
    (identifier) @name
    (field_expression) @name
    (operator) @name
    (parametrized_type_expression . [(identifier) (field_expression)] @name)
  ]))) @definition.function
(assignment .
  (where_expression . (call_expression . [
    (identifier) @name
    (field_expression) @name
    (operator) @name
    (parametrized_type_expression . [(identifier) (field_expression)] @name)
  ]))) @definition.function
(assignment .
  (where_expression . (typed_expression . (call_expression . [
    (identifier) @name
    (field_expression) @name
    (operator) @name
    (parametrized_type_expression . [(identifier) (field_expression)] @name)
  ])))) @definition.function

; Fields, constants, variables of modules.
(struct_definition (identifier) @name @definition.constant)
(struct_definition (typed_expression . (identifier) @name) @definition.constant)
(struct_definition (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @definition.constant)
(const_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name)])) @definition.constant
(source_file (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @definition.constant)
(module_definition (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @definition.constant)
(macrocall_expression
  (macro_identifier) @_macro
  (macro_argument_list . (identifier) (identifier) @name @definition.constant)
  (#eq? @_macro "@enum"))

(type_head (binary_expression (operator) . [
  (identifier) @inherit
  (field_expression) @inherit
  (parametrized_type_expression . (identifier) @inherit)
]))

; Calls; a construction looks like one.
(call_expression . [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
]) @reference.call
(call_expression . (field_expression value: (_) @receiver (identifier) @name)) @reference.call
(broadcast_call_expression . (identifier) @name) @reference.call
(broadcast_call_expression . (field_expression value: (_) @receiver (identifier) @name)) @reference.call
(macrocall_expression (macro_identifier (identifier) @name)) @reference.call

; Types in use.
(typed_expression (_) . (identifier) @name @reference.type)
(typed_expression . (identifier) @name @reference.type .)
(parametrized_type_expression . (identifier) @name @reference.type)
(curly_expression (identifier) @name @reference.type)

; Imports.
(using_statement [(identifier) (scoped_identifier) (import_path)] @source) @import
(import_statement [(identifier) (scoped_identifier) (import_path)] @source) @import
(selected_import
  .
  [(identifier) (scoped_identifier) (import_path)] @source
  [(identifier) (operator) (macro_identifier)] @import.name) @import
(import_alias . [(identifier) (scoped_identifier) (import_path)] @source (identifier) @import.alias) @import
(call_expression
  .
  (identifier) @_function
  (argument_list (string_literal (content) @source))
  (#eq? @_function "include")) @import
