; Declared types.
(parameter name: (simple_identifier) @binding type: (_) @binding.type)
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @binding)
  (type_annotation type: (_) @binding.type))
(function_declaration name: (simple_identifier) @binding return_type: (_) @binding.returns)

; Values.
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @binding)
  value: [(call_expression) (navigation_expression)] @binding.value)
