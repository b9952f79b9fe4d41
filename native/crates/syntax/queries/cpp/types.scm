; Values, where the type is left to them.
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [
      (identifier) @binding
      (pointer_declarator declarator: (identifier) @binding)
      (reference_declarator (identifier) @binding)
    ]
    value: (_) @binding.value))

(condition_clause
  value: (declaration
    type: (placeholder_type_specifier)
    declarator: [
      (identifier) @binding
      (pointer_declarator declarator: (identifier) @binding)
      (reference_declarator (identifier) @binding)
    ]
    value: (_) @binding.value))
(for_range_loop
  type: (placeholder_type_specifier)
  declarator: [
    (identifier) @binding
    (pointer_declarator declarator: (identifier) @binding)
    (reference_declarator (identifier) @binding)
  ]
  right: (_) @binding.element)

; What a macro makes of its arguments, a test, is called by no name: its parameters take the place of its result.
(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      .
      (parameter_declaration type: (type_identifier) !declarator)
      .
      (parameter_declaration type: (type_identifier) @binding !declarator)
      .) @binding.returns)
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      .
      (parameter_declaration type: (type_identifier) @binding !declarator)
      .) @binding.returns)
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))

; Members of `class EXPORT_MACRO Name {`, which is read as a function.
(function_definition
  type: [(class_specifier) (struct_specifier)]
  declarator: (identifier)
  body: (compound_statement [
    (declaration type: (_) @binding.returns declarator: [
      (function_declarator declarator: (identifier) @binding)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding))
      (reference_declarator (function_declarator declarator: (identifier) @binding))
      (init_declarator declarator: [
        (function_declarator declarator: (identifier) @binding)
        (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding))
        (reference_declarator (function_declarator declarator: (identifier) @binding))
      ])
    ])
    (labeled_statement (declaration type: (_) @binding.returns declarator: [
      (function_declarator declarator: (identifier) @binding)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding))
      (reference_declarator (function_declarator declarator: (identifier) @binding))
      (init_declarator declarator: [
        (function_declarator declarator: (identifier) @binding)
        (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding))
        (reference_declarator (function_declarator declarator: (identifier) @binding))
      ])
    ]))
  ]))

; Declared types.
(type_definition
  type: [(type_identifier) (template_type) (qualified_identifier)] @binding.type
  declarator: [(type_identifier) @binding (pointer_declarator declarator: (type_identifier) @binding)])
(alias_declaration name: (type_identifier) @binding type: (type_descriptor) @binding.type)
(parameter_declaration
  type: (_) @binding.type
  declarator: [
    (identifier) @binding
    (pointer_declarator declarator: (identifier) @binding)
    (reference_declarator (identifier) @binding)
  ])
(optional_parameter_declaration
  type: (_) @binding.type
  declarator: [
    (identifier) @binding
    (pointer_declarator declarator: (identifier) @binding)
    (reference_declarator (identifier) @binding)
  ])
(declaration
  type: (_) @binding.type
  declarator: [
    (identifier) @binding
    (pointer_declarator declarator: (identifier) @binding)
    (reference_declarator (identifier) @binding)
    (function_declarator declarator: (identifier) @binding)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding))
    (array_declarator declarator: (identifier) @binding)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @binding))
    (init_declarator
      declarator: [
        (identifier) @binding
        (array_declarator declarator: (identifier) @binding)
        (pointer_declarator declarator: (identifier) @binding)
        (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @binding))
        (reference_declarator (identifier) @binding)
      ])
  ])
(field_declaration
  type: (_) @binding.type
  declarator: [
    (field_identifier) @binding
    (array_declarator declarator: (field_identifier) @binding)
    (pointer_declarator declarator: (field_identifier) @binding)
    (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @binding))
    (reference_declarator (field_identifier) @binding)
  ])
(field_declaration
  type: (_) @binding.returns
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @binding)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @binding))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @binding))
  ])
(for_range_loop
  type: (_) @binding.type
  declarator: [(identifier) @binding (reference_declarator (identifier) @binding)])
; A static function is known to its own file alone.
(function_definition
  (storage_class_specifier "static") @binding.returns
  declarator: [
    (function_declarator declarator: (identifier) @binding)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding))
    (reference_declarator (function_declarator declarator: (identifier) @binding))
  ])
(preproc_function_def "#define" @binding.returns name: (identifier) @binding)
(function_definition
  type: (_) @binding.returns
  declarator: [
    (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @binding)
    (pointer_declarator
      declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @binding))
    (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @binding))
  ])
(function_definition
  type: (_) @binding.returns
  declarator: [
    (function_declarator declarator: (qualified_identifier name: [(identifier) (operator_name)] @binding))
    (pointer_declarator
      declarator: (function_declarator declarator: (qualified_identifier name: [(identifier) (operator_name)] @binding)))
    (reference_declarator
      (function_declarator declarator: (qualified_identifier name: [(identifier) (operator_name)] @binding)))
    (function_declarator
      declarator: (qualified_identifier name: (qualified_identifier name: [(identifier) (operator_name)] @binding)))
    (pointer_declarator
      declarator: (function_declarator
        declarator: (qualified_identifier name: (qualified_identifier name: [(identifier) (operator_name)] @binding))))
    (reference_declarator
      (function_declarator
        declarator: (qualified_identifier name: (qualified_identifier name: [(identifier) (operator_name)] @binding))))
  ])

; Functions without a name.
(lambda_expression) @closure
