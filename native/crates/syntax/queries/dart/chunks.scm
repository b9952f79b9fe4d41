(function_declaration) @unit
(getter_declaration) @unit
(setter_declaration) @unit
(local_function_declaration) @unit
(method_declaration) @unit

(class_declaration) @container
(mixin_declaration) @container
(enum_declaration) @container
(extension_declaration) @container
(extension_type_declaration) @container

(member_declaration (method_declaration)) @wrapper

; Blocks of tests.
(expression_statement (call_expression
  function: (identifier) @_function
  arguments: (arguments . (string_literal) @name (function_expression))
  (#any-of? @_function "test" "testWidgets" "blocTest"))) @unit
(expression_statement (call_expression
  function: (identifier) @_function
  arguments: (arguments . (string_literal) @name (function_expression))
  (#eq? @_function "group"))) @container

[(comment) (documentation_comment)] @comment
