(function_definition) @unit
(class_definition) @container
(decorated_definition) @wrapper

(comment) @comment
; Documentation strings.
(module . (expression_statement . (string) @comment .))
(module (comment) . (expression_statement . (string) @comment .))
(function_definition body: (block . (expression_statement . (string) @comment .)))
(class_definition body: (block . (expression_statement . (string) @comment .)))
