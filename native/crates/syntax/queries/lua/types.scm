; Variables and what is assigned to them: a module, a function of one, a table.
(assignment_statement
  (variable_list . name: (identifier) @binding .)
  (expression_list . value: [(identifier) (dot_index_expression) (function_call) (table_constructor)] @binding.value .))
(assignment_statement
  (variable_list . name: (dot_index_expression) @binding .)
  (expression_list . value: (identifier) @binding.value .))

; What a module returns.
(chunk (return_statement (expression_list . (identifier) @binding @binding.returns .)))
(chunk (return_statement (expression_list . (table_constructor
  (field name: (identifier) @binding value: (identifier) @binding.element)) .)))

; Locals.
(parameters name: (identifier) @local)
(block (variable_declaration (variable_list name: (identifier) @local)))
(block (variable_declaration (assignment_statement (variable_list name: (identifier) @local))))
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)
