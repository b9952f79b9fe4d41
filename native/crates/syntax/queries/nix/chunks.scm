(binding expression: (function_expression)) @unit

; A function's result made from a set: packages, options, conditional modules.
(binding expression: (apply_expression argument: [(attrset_expression) (rec_attrset_expression)])) @unit

; Sets of settings.
(binding attrpath: (attrpath) @name expression: (attrset_expression)) @section
(binding attrpath: (attrpath) @name expression: (rec_attrset_expression)) @section

(comment) @comment
