(function_definition) @unit

(comment) @comment
