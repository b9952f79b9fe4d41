(function_declaration) @unit
(generator_function_declaration) @unit
(method_definition) @unit
(class_static_block) @unit
(field_definition value: [(arrow_function) (function_expression)]) @unit
(pair value: [(arrow_function) (function_expression)]) @unit
(lexical_declaration (variable_declarator value: [(arrow_function) (function_expression) (generator_function)])) @unit
(variable_declaration (variable_declarator value: [(arrow_function) (function_expression) (generator_function)])) @unit
(expression_statement (assignment_expression right: [(arrow_function) (function_expression) (generator_function)])) @unit

(class_declaration) @container
(class) @container

; Test blocks.
(expression_statement (call_expression
  function: [(identifier) @_function (member_expression object: (identifier) @_function)]
  arguments: (arguments . [(string) (template_string)] @name [(arrow_function) (function_expression)])
  (#any-of? @_function "describe" "suite" "context"))) @container
(expression_statement (call_expression
  function: [(identifier) @_function (member_expression object: (identifier) @_function)]
  arguments: (arguments . [(string) (template_string)] @name [(arrow_function) (function_expression)])
  (#any-of? @_function "it" "test" "specify" "bench"))) @unit

(export_statement) @wrapper
(decorator) @attribute
(comment) @comment
