; Declared types.
(parameter pattern: (identifier) @binding type: (_) @binding.type)
(let_declaration pattern: (identifier) @binding type: (_) @binding.type)
(field_declaration name: (field_identifier) @binding type: (_) @binding.type)
(const_item name: (identifier) @binding type: (_) @binding.type)
(static_item name: (identifier) @binding type: (_) @binding.type)
(function_item name: (identifier) @binding return_type: (_) @binding.returns)
(function_signature_item name: (identifier) @binding return_type: (_) @binding.returns)

(type_item name: (type_identifier) @binding type: (_) @binding.type)

; Bounds of type parameters.
(type_parameter name: (type_identifier) @binding bounds: (trait_bounds) @binding.bound)
(where_predicate left: (type_identifier) @binding bounds: (trait_bounds) @binding.bound)

; What a build may leave out.
(attribute_item (attribute (identifier) @binding arguments: (token_tree) @binding.condition
  (#eq? @binding "cfg")))

; Fields without names, and patterns of what has one.
(enum_variant body: (ordered_field_declaration_list) @binding @binding.parameters)
(struct_item body: (ordered_field_declaration_list) @binding @binding.parameters)
(tuple_struct_pattern
  type: [(identifier) (scoped_identifier)] @binding.content
  . [(identifier) @binding (ref_pattern (identifier) @binding) (mut_pattern (identifier) @binding)] .
  (#not-any-of? @binding.content "Some" "Ok" "Err"))

; What is in an option or a result.
(match_expression
  value: (_) @binding.value
  body: (match_block (match_arm pattern: (match_pattern (tuple_struct_pattern
    type: (identifier) @_variant
    . [(identifier) @binding (ref_pattern (identifier) @binding) (mut_pattern (identifier) @binding)] .))))
  (#any-of? @_variant "Some" "Ok"))

; Values.
(let_declaration
  pattern: (identifier) @binding
  value: [
    (call_expression) (struct_expression) (reference_expression) (try_expression) (await_expression)
    (field_expression) (identifier) (scoped_identifier) (index_expression)
  ] @binding.value)
(let_condition
  pattern: (tuple_struct_pattern
    type: (identifier) @_variant
    . [(identifier) @binding (ref_pattern (identifier) @binding) (mut_pattern (identifier) @binding)] .)
  value: (_) @binding.value
  (#any-of? @_variant "Some" "Ok"))
(let_declaration
  pattern: (tuple_struct_pattern
    type: (identifier) @_variant
    . [(identifier) @binding (ref_pattern (identifier) @binding) (mut_pattern (identifier) @binding)] .)
  value: (_) @binding.value
  (#any-of? @_variant "Some" "Ok"))
(let_declaration
  pattern: (tuple_pattern . [(identifier) @binding (mut_pattern (identifier) @binding)])
  value: (call_expression) @binding.value)
(let_declaration
  pattern: (tuple_pattern . (_) . [(identifier) @binding (mut_pattern (identifier) @binding)])
  value: (call_expression) @binding.second)

; Elements.
(for_expression pattern: (identifier) @binding value: (_) @binding.element)

; Locals.
(parameter pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(let_declaration pattern: (identifier) @local)
(tuple_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(mut_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(captured_pattern . (identifier) @local)
(tuple_struct_pattern (_) (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(field_pattern pattern: (identifier) @local)
(for_expression pattern: (identifier) @local)

; Functions without a name.
(closure_expression) @closure
