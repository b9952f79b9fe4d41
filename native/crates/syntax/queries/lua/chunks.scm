(function_declaration) @unit
(assignment_statement (expression_list value: (function_definition))) @unit
(field value: (function_definition)) @unit

; A table of functions.
(assignment_statement (expression_list value: (table_constructor (field value: (function_definition))))) @container

(variable_declaration (assignment_statement (expression_list value: (function_definition)))) @wrapper
(variable_declaration
  (assignment_statement (expression_list value: (table_constructor (field value: (function_definition)))))) @wrapper

; Blocks of tests.
(function_call
  name: (identifier) @_function
  arguments: (arguments . (string) @name (function_definition))
  (#any-of? @_function "it" "test")) @unit
(function_call
  name: (identifier) @_function
  arguments: (arguments . (string) @name (function_definition))
  (#any-of? @_function "describe" "context" "insulate" "expose")) @container

(comment) @comment
