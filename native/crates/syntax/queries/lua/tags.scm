; Functions; a name may carry the table that it belongs to.
(function_declaration name: (method_index_expression) @name) @definition.method
(function_declaration name: [(identifier) (dot_index_expression)] @name) @definition.function
(assignment_statement
  (variable_list name: [(identifier) (dot_index_expression)] @name)
  (expression_list value: (function_definition))) @definition.function
(field name: (identifier) @name value: (function_definition)) @definition.function
(field name: (string content: (string_content) @name) value: (function_definition)) @definition.function

; Variables of the file and fields of its tables.
(chunk (variable_declaration
  (assignment_statement (variable_list name: (identifier) @name)) @definition.constant))
(chunk (assignment_statement
  (variable_list name: [(identifier) (dot_index_expression)] @name)) @definition.constant)

; Imports.
(assignment_statement
  (variable_list name: (identifier) @import.alias)
  (expression_list
    value: (function_call
      name: (identifier) @_function
      arguments: (arguments (string content: (string_content) @source))))
  (#eq? @_function "require")) @import
(function_call
  name: (identifier) @_function
  arguments: (arguments (string content: (string_content) @source))
  (#any-of? @_function "require" "dofile" "loadfile")) @import

; Calls.
(function_call name: (identifier) @name) @reference.call
(function_call name: (dot_index_expression table: (_) @receiver field: (identifier) @name)) @reference.call
(function_call name: (method_index_expression table: (_) @receiver method: (identifier) @name)) @reference.call

; A function of a module, without the module's name: `local f = require("m").f`.
(assignment_statement
  (variable_list . name: (identifier) @import.alias .)
  (expression_list . value: (dot_index_expression
    table: (function_call
      name: (identifier) @_function
      arguments: (arguments (string content: (string_content) @source)))
    field: (identifier) @import.name) .)
  (#eq? @_function "require")) @import

; Functions and types that are handed on, kept or returned as values.
(arguments [(identifier) @name
  (dot_index_expression table: [(identifier) (dot_index_expression)] @receiver field: (identifier) @name)]) @reference.value
(field value: [(identifier) @name
  (dot_index_expression table: [(identifier) (dot_index_expression)] @receiver field: (identifier) @name)]) @reference.value
(assignment_statement (expression_list value: [(identifier) @name
  (dot_index_expression table: [(identifier) (dot_index_expression)] @receiver field: (identifier) @name)])) @reference.value
(return_statement (expression_list [(identifier) @name
  (dot_index_expression table: [(identifier) (dot_index_expression)] @receiver field: (identifier) @name)])) @reference.value
