; Declared types.
(parameter name: (identifier) @binding type: (_) @binding.type)
(class_parameter name: (identifier) @binding type: (_) @binding.type)
(val_definition pattern: (identifier) @binding type: (_) @binding.type)
(var_definition pattern: (identifier) @binding type: (_) @binding.type)
(val_declaration name: (identifier) @binding type: (_) @binding.type)
(function_definition name: (identifier) @binding return_type: (_) @binding.returns)
(function_declaration name: (identifier) @binding return_type: (_) @binding.returns)

; Values.
(val_definition
  pattern: (identifier) @binding
  value: [(call_expression) (instance_expression) (field_expression) (identifier)] @binding.value)
(var_definition
  pattern: (identifier) @binding
  value: [(call_expression) (instance_expression) (field_expression) (identifier)] @binding.value)
