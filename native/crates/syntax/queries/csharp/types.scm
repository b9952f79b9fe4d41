; Values, where the type is left to them.
(variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @binding . (_) @binding.value .))
(foreach_statement type: (implicit_type) left: (identifier) @binding right: (_) @binding.element)

; Declared types.
(parameter type: (_) @binding.type name: (identifier) @binding)
(variable_declaration type: (_) @binding.type (variable_declarator name: (identifier) @binding))
(property_declaration type: (_) @binding.type name: (identifier) @binding)
(method_declaration returns: (_) @binding.returns name: (identifier) @binding)
(local_function_statement type: (_) @binding.returns name: (identifier) @binding)
(foreach_statement type: (_) @binding.type left: (identifier) @binding)
(declaration_pattern type: (_) @binding.type name: (identifier) @binding)
(catch_declaration type: (_) @binding.type name: (identifier) @binding)

; Functions without a name.
[(lambda_expression) (anonymous_method_expression)] @closure

; Methods that extend the type of their first parameter.
(method_declaration
  name: (identifier) @binding
  parameters: (parameter_list . (parameter (modifier) @_modifier type: (_) @binding.owner))
  (#eq? @_modifier "this"))
