(binding attrpath: (attrpath) @name expression: (function_expression)) @definition.function
(binding
  attrpath: (attrpath) @name
  expression: (apply_expression
    argument: [(attrset_expression) (rec_attrset_expression)])) @definition.constant
(let_expression
  (binding_set
    (binding
      attrpath: (attrpath) @name
      expression: [
        (variable_expression)
        (select_expression)
        (string_expression)
        (indented_string_expression)
        (integer_expression)
        (list_expression)
        (path_expression)
        (if_expression)
        (binary_expression)
        (apply_expression argument: [
          (variable_expression)
          (select_expression)
          (string_expression)
          (path_expression)
          (list_expression)
          (parenthesized_expression)
        ])
      ]) @definition.constant))

; Files that are read in.
(apply_expression
  function: [
    (variable_expression name: (identifier) @_function)
    (select_expression attrpath: (attrpath (identifier) @_function .))
  ]
  argument: (path_expression) @source
  (#any-of? @_function "import" "callPackage" "scopedImport")) @import
(binding
  attrpath: (attrpath . (identifier) @_name .)
  expression: (list_expression (path_expression) @source @import)
  (#eq? @_name "imports"))

; Calls.
(apply_expression function: (variable_expression name: (identifier) @name)) @reference.call
(apply_expression
  function: (select_expression
    expression: (_) @receiver
    attrpath: (attrpath (identifier) @name .))) @reference.call
