; Each statement of a script; those of a function's body only when it is oversized.
(program (statement) @unit)
(transaction (statement) @unit)
(block (statement) @unit)
(function_body (statement) @unit)

(comment) @comment
(marginalia) @comment
