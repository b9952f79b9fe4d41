; Declared types.
(parameter (identifier) @binding [(user_type) (nullable_type)] @binding.type)
(class_parameter (identifier) @binding [(user_type) (nullable_type)] @binding.type)
(variable_declaration (identifier) @binding [(user_type) (nullable_type)] @binding.type)
(function_declaration
  name: (identifier) @binding
  (function_value_parameters)
  .
  [(user_type) (nullable_type)] @binding.returns)

; Values.
(property_declaration
  (variable_declaration (identifier) @binding)
  [(call_expression) (navigation_expression) (identifier)] @binding.value)
(for_statement (variable_declaration (identifier) @binding) . (_) @binding.element)

; Functions without a name.
[(lambda_literal) (anonymous_function)] @closure
