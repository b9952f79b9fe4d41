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

; Extensions: of a type, and of what an implicit class takes.
(extension_definition
  parameters: (parameters (parameter type: (_) @binding.owner))
  (function_definition name: (_) @binding))
(class_definition
  (modifiers "implicit")
  name: (identifier) @binding
  class_parameters: (class_parameters (class_parameter type: (_) @binding.owner)))

; Variables and parameters.
(parameter name: (identifier) @local)
(class_parameter name: (identifier) @local)
(binding name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(val_definition pattern: (_) @pattern)
(var_definition pattern: (_) @pattern)
(case_clause pattern: (_) @pattern)
(enumerator . (_) @pattern)
[(block) (lambda_expression) (case_clause) (for_expression)] @block
(block (function_definition) @block)
(extension_definition (function_definition) @block)

; Names of arguments and parts of imports.
(assignment_expression left: (identifier) @pattern)
(import_declaration (identifier) @pattern)
(namespace_selectors (_) @pattern)
(package_clause name: (_) @pattern)
(annotation) @pattern
