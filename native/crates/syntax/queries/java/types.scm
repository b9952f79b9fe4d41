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

; The name of what a list holds is the list's first bracket: the parameters of a method, the type parameters of a type,
; and the arguments that a type gives to its base.
(method_declaration parameters: (formal_parameters "(" @binding) @binding.parameters)
(class_declaration type_parameters: (type_parameters "<" @binding) @binding.parameters)
(interface_declaration type_parameters: (type_parameters "<" @binding) @binding.parameters)
(superclass (generic_type (type_arguments "<" @binding)) @binding.type)

; Functions without a name.
(lambda_expression) @closure
