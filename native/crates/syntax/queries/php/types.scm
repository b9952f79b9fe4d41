; Declared types.
(simple_parameter type: (_) @binding.type name: (variable_name) @binding)
(property_promotion_parameter type: (_) @binding.type name: (variable_name) @binding)
(property_declaration type: (_) @binding.type (property_element name: (variable_name) @binding))
(function_definition name: (name) @binding return_type: (_) @binding.returns)
(method_declaration name: (name) @binding return_type: (_) @binding.returns)

; Values.
(assignment_expression
  left: [(variable_name) (member_access_expression)] @binding
  right: [
    (object_creation_expression) (function_call_expression) (member_call_expression) (scoped_call_expression)
    (member_access_expression) (variable_name) (nullsafe_member_call_expression)
  ] @binding.value)

; Elements.
(foreach_statement . (_) @binding.element . (variable_name) @binding)

; Functions without a name.
[(anonymous_function) (arrow_function)] @closure
