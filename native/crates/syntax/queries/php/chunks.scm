(function_definition) @unit
(method_declaration body: (_)) @unit

(namespace_definition body: (_)) @container
(class_declaration) @container
(interface_declaration) @container
(trait_declaration) @container
(enum_declaration) @container

; Blocks of tests.
(expression_statement (function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (string) @name) (argument [(anonymous_function) (arrow_function)]))
  (#any-of? @_function "it" "test"))) @unit
(expression_statement (function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (string) @name) (argument [(anonymous_function) (arrow_function)]))
  (#eq? @_function "describe"))) @container

(comment) @comment
