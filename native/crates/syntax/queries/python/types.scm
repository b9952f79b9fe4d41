; Declared types.
(typed_parameter . (identifier) @binding type: (type) @binding.type)
(typed_default_parameter name: (identifier) @binding type: (type) @binding.type)
(assignment left: [(identifier) (attribute)] @binding type: (type) @binding.type)
(function_definition name: (identifier) @binding return_type: (type) @binding.returns)

; What functions return without saying so.
(function_definition
  name: (identifier) @binding
  body: (block (return_statement [(call) (identifier) (attribute) (await)] @binding.result)))

; Values.
(assignment
  left: [(identifier) (attribute)] @binding
  right: [(call) (await) (attribute) (identifier) (subscript)] @binding.value)
(assignment
  left: [(identifier) (attribute)] @binding
  right: (boolean_operator right: (call) @binding.value))
(assignment
  left: [(identifier) (attribute)] @binding
  right: (conditional_expression . (call) @binding.value))
(named_expression name: (identifier) @binding value: (call) @binding.value)
(as_pattern (call) @binding.value alias: (as_pattern_target (identifier) @binding))

; Elements.
(for_statement
  left: (identifier) @binding
  right: [(call) (attribute) (identifier) (subscript)] @binding.element)
(for_in_clause
  left: (identifier) @binding
  right: [(call) (attribute) (identifier) (subscript)] @binding.element)

; Locals.
(parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(lambda_parameters (identifier) @local)
(function_definition body: (block (expression_statement (assignment left: (identifier) @local))))
(assignment left: (pattern_list (identifier) @local))
(for_statement left: [(identifier) @local (pattern_list (identifier) @local) (tuple_pattern (identifier) @local)])
(for_in_clause left: [(identifier) @local (pattern_list (identifier) @local) (tuple_pattern (identifier) @local)])
(as_pattern_target (identifier) @local)
(named_expression name: (identifier) @local)

; Functions without a name, and comprehensions, which have variables of their own.
[
  (lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)
] @closure
