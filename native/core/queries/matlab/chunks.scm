(class_definition) @container
(function_definition) @unit

(comment) @comment
