(binding expression: (function_expression)) @unit

; Bindings of sets, plain or through a function: packages, options, modules.
(binding attrpath: (attrpath) @name expression: (attrset_expression)) @section
(binding attrpath: (attrpath) @name expression: (rec_attrset_expression)) @section
(binding
  attrpath: (attrpath) @name
  expression: (apply_expression argument: [(attrset_expression) (rec_attrset_expression)])) @section

(comment) @comment
