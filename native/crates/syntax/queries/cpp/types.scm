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

; Declared types.
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
    (init_declarator
      declarator: [
        (identifier) @binding
        (pointer_declarator declarator: (identifier) @binding)
        (reference_declarator (identifier) @binding)
      ])
  ])
(field_declaration
  type: (_) @binding.type
  declarator: [
    (field_identifier) @binding
    (pointer_declarator declarator: (field_identifier) @binding)
    (reference_declarator (field_identifier) @binding)
  ])
(field_declaration
  type: (_) @binding.returns
  declarator: [
    (function_declarator declarator: (field_identifier) @binding)
    (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @binding))
    (reference_declarator (function_declarator declarator: (field_identifier) @binding))
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
    (function_declarator declarator: [(identifier) (field_identifier)] @binding)
    (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @binding))
    (reference_declarator (function_declarator declarator: [(identifier) (field_identifier)] @binding))
  ])
(function_definition
  type: (_) @binding.returns
  declarator: [
    (function_declarator declarator: (qualified_identifier name: (identifier) @binding))
    (pointer_declarator
      declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @binding)))
    (reference_declarator (function_declarator declarator: (qualified_identifier name: (identifier) @binding)))
  ])
