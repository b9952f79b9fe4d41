(function_statement) @unit
(class_method_definition) @unit

(class_statement) @container
(enum_statement) @unit

; Blocks of tests.
(command
  command_name: (command_name) @_command
  command_elements: (command_elements
    (array_literal_expression (unary_expression (string_literal) @name))
    (array_literal_expression (unary_expression (script_block_expression))))
  (#any-of? @_command "Describe" "Context")) @container
(command
  command_name: (command_name) @_command
  command_elements: (command_elements
    (array_literal_expression (unary_expression (string_literal) @name))
    (array_literal_expression (unary_expression (script_block_expression))))
  (#eq? @_command "It")) @unit

(comment) @comment
