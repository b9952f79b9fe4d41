; A result behind a macro is read as the name, and the name as a parameter or an error: `API Integer (f)(int)`,
; `API Integer f(int)`.
(function_definition
  declarator: [
    (function_declarator
      declarator: (function_declarator
        declarator: (identifier)
        parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator) .)))
    (function_declarator declarator: (identifier) . (ERROR (identifier) @name))
  ]) @definition.function
(declaration
  declarator: [
    (function_declarator
      declarator: (function_declarator
        declarator: (identifier)
        parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator) .)))
    (function_declarator declarator: (identifier) . (ERROR (identifier) @name))
  ]) @definition.function

; A name in brackets, which no macro replaces.
(function_definition
  declarator: [
    (function_declarator declarator: (parenthesized_declarator (identifier) @name))
    (pointer_declarator
      declarator: (function_declarator declarator: (parenthesized_declarator (identifier) @name)))
  ]) @definition.function
(declaration
  declarator: [
    (function_declarator declarator: (parenthesized_declarator (identifier) @name))
    (pointer_declarator
      declarator: (function_declarator declarator: (parenthesized_declarator (identifier) @name)))
  ]) @definition.function

; Functions: the declarator nests by the pointers of the result.
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))))
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  ]) @definition.function

; A macro that looks like a function: TEST(name).
(function_definition
  type: (type_identifier) @_macro
  declarator: (parenthesized_declarator (identifier) @name)
  (#match? @_macro "^[A-Z][A-Z0-9_]+$")) @definition.function

; Prototypes: the raw kind `declaration` tells them from definitions. Inside of functions they would be variables.
(translation_unit (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)
(declaration_list (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)
(preproc_ifdef (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)
(preproc_if (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)
(preproc_else (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)
(preproc_elif (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)

(preproc_function_def name: (identifier) @name) @definition.function
(preproc_def name: (identifier) @name value: (_)) @definition.constant

; Types: a tag with a body defines; without one it only names.
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant

; A typedef of an unnamed body names that body; every other typedef is an alias.
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.enum
(type_definition type: (struct_specifier name: (_) body: (_)) declarator: (type_identifier) @name @definition.type)
(type_definition type: (union_specifier name: (_) body: (_)) declarator: (type_identifier) @name @definition.type)
(type_definition type: (enum_specifier name: (_) body: (_)) declarator: (type_identifier) @name @definition.type)
(type_definition
  type: [
    (type_identifier)
    (primitive_type)
    (sized_type_specifier)
    (struct_specifier !body)
    (union_specifier !body)
    (enum_specifier !body)
  ]
  declarator: [
    (type_identifier) @name
    (primitive_type) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type

; Fields and variables.
(field_declaration
  declarator: [
    (field_identifier) @name
    (array_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
  ]) @definition.constant
(declaration
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator
      declarator: [
        (identifier) @name
        (array_declarator declarator: (identifier) @name)
        (pointer_declarator declarator: (identifier) @name)
        (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
        (array_declarator declarator: (array_declarator declarator: (identifier) @name))
      ])
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
  ]) @definition.constant

; Calls: of a name, of a member, of a pointer.
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @name)) @reference.call

; Types in use.
(compound_literal_expression type: (type_descriptor type: (type_identifier) @name)) @reference.construct
(struct_specifier name: (type_identifier) @name !body) @reference.type
(union_specifier name: (type_identifier) @name !body) @reference.type
(enum_specifier name: (type_identifier) @name !body) @reference.type
(declaration type: (type_identifier) @name @reference.type)
(parameter_declaration type: (type_identifier) @name @reference.type)
(field_declaration type: (type_identifier) @name @reference.type)
(function_definition type: (type_identifier) @name @reference.type)
(type_definition type: (type_identifier) @name @reference.type)
(cast_expression type: (type_descriptor type: (type_identifier) @name @reference.type))
(sizeof_expression type: (type_descriptor type: (type_identifier) @name @reference.type))

(preproc_include path: (system_lib_string) @source) @import
(preproc_include path: (string_literal (string_content) @source)) @import

; Functions and types that are handed on, kept or returned as values.
(argument_list [(identifier) @name]) @reference.value
(argument_list (pointer_expression argument: [(identifier) @name])) @reference.value
(initializer_list [(identifier) @name]) @reference.value
(initializer_pair value: [(identifier) @name]) @reference.value
(init_declarator value: [(identifier) @name]) @reference.value
(init_declarator value: (pointer_expression argument: [(identifier) @name])) @reference.value
(assignment_expression right: [(identifier) @name]) @reference.value
(assignment_expression right: (pointer_expression argument: [(identifier) @name])) @reference.value
(return_statement [(identifier) @name]) @reference.value
