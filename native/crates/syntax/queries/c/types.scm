; A function with a body returns something; a static one is known to its own file alone.
(function_definition
  (storage_class_specifier "static") @binding.returns
  declarator: [
    (function_declarator declarator: (identifier) @binding)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding)))
  ])
(function_definition
  type: (_) @binding.returns
  declarator: [
    (function_declarator
      declarator: (function_declarator
        declarator: (identifier)
        parameters: (parameter_list . (parameter_declaration type: (type_identifier) @binding !declarator) .)))
    (function_declarator declarator: (identifier) . (ERROR (identifier) @binding))
    (function_declarator declarator: (parenthesized_declarator (identifier) @binding))
    (function_declarator declarator: (identifier) @binding)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding))
    (pointer_declarator
      declarator: (function_declarator declarator: (parenthesized_declarator (identifier) @binding)))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @binding)))
  ])

(preproc_function_def "#define" @binding.returns name: (identifier) @binding)

; Locals, which may hold functions.
(parameter_declaration
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (function_declarator declarator: (identifier) @local)
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local)))
  ])
(declaration
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (init_declarator
      declarator: [
        (identifier) @local
        (pointer_declarator declarator: (identifier) @local)
        (function_declarator
          declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local)))
      ])
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local)))
  ])
