; Declared types.
(parameter_declaration name: (identifier) @binding type: (_) @binding.type)
(var_spec name: (identifier) @binding type: (_) @binding.type)
(const_spec name: (identifier) @binding type: (_) @binding.type)
(field_declaration name: (field_identifier) @binding type: (_) @binding.type)
(function_declaration name: (identifier) @binding result: (_) @binding.returns)
(method_declaration name: (field_identifier) @binding result: (_) @binding.returns)
(method_elem name: (field_identifier) @binding result: (_) @binding.returns)

; Values: of several, the first one; of what a call returns, the second as well.
(short_var_declaration
  left: (expression_list . (identifier) @binding)
  right: (expression_list . (type_assertion_expression type: (_) @binding.type)))
(short_var_declaration
  left: (expression_list . (identifier) @binding)
  right: (expression_list . [
    (call_expression) (composite_literal) (unary_expression) (selector_expression) (identifier) (index_expression)
  ] @binding.value))
(short_var_declaration
  left: (expression_list . (identifier) . (identifier) @binding)
  right: (expression_list . (call_expression) @binding.second .))
(var_spec
  name: (identifier) @binding
  value: (expression_list . [
    (call_expression) (composite_literal) (unary_expression) (selector_expression) (identifier)
  ] @binding.value))

; Elements: the second name; the first one is the key.
(range_clause left: (expression_list (identifier) . (identifier) @binding .) right: (_) @binding.element)

; Locals.
(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(block (statement_list [
  (var_declaration (var_spec name: (identifier) @local))
  (const_declaration (const_spec name: (identifier) @local))
]))
(range_clause left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))

; Functions without a name.
(func_literal) @closure
