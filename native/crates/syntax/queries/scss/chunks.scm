; inherits: css
(mixin_statement) @unit
(function_statement) @unit

; Statements that make rules.
(stylesheet (include_statement (block)) @unit)
(stylesheet (each_statement) @unit)
(stylesheet (for_statement) @unit)
(stylesheet (while_statement) @unit)
(stylesheet (if_statement) @unit)
