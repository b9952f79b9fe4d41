; Values, where the type is left to them.
(local_variable_declaration
  type: (type_identifier) @_type
  declarator: (variable_declarator name: (identifier) @binding value: (_) @binding.value)
  (#eq? @_type "var"))

; Declared types.
(formal_parameter type: (_) @binding.type name: (identifier) @binding)
(local_variable_declaration
  type: (_) @binding.type
  declarator: (variable_declarator name: (identifier) @binding))
(field_declaration type: (_) @binding.type declarator: (variable_declarator name: (identifier) @binding))
(method_declaration type: (_) @binding.returns name: (identifier) @binding)
(enhanced_for_statement type: (_) @binding.type name: (identifier) @binding)
(catch_formal_parameter (catch_type . (_) @binding.type .) name: (identifier) @binding)
(resource type: (_) @binding.type name: (identifier) @binding)
(instanceof_expression right: (_) @binding.type name: (identifier) @binding)
(type_parameter (type_identifier) @binding (type_bound . (_) @binding.bound))

; The parameters of a method, for its overloads.
(method_declaration parameters: (_) @binding @binding.parameters)

; Functions without a name.
(lambda_expression) @closure
