; Values.
(assignment left: [(identifier) (instance_variable)] @binding right: [(call) (identifier)] @binding.value)
(operator_assignment left: [(identifier) (instance_variable)] @binding operator: "||=" right: (call) @binding.value)

; Methods of one object alone.
(singleton_method object: (_) @binding.owner name: (_) @binding)
(singleton_class value: (_) @binding.owner body: (body_statement (method name: (_) @binding)))

; Variables and parameters; patterns bind them as well.
(method_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(block_parameters (identifier) @local)
(block_parameters locals: (identifier) @local)
(destructured_parameter (identifier) @local)
(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
(binary left: (regex) @local.groups operator: "=~")
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(destructured_left_assignment (identifier) @local)
(rest_assignment (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)
(as_pattern name: (identifier) @local)
(in_clause pattern: (identifier) @local)
(match_pattern pattern: (identifier) @local)
(test_pattern pattern: (identifier) @local)
(array_pattern (identifier) @local)
(find_pattern (identifier) @local)
(parenthesized_pattern (identifier) @local)
(keyword_pattern value: (identifier) @local)
(keyword_pattern key: (hash_key_symbol) @local !value)
[(block) (do_block) (lambda)] @block
(call method: (identifier) @_method block: [(block) (do_block)] (#any-of? @_method "define_method" "define_singleton_method")) @block
