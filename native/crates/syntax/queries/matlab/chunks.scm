(class_definition) @container
(methods) @container
(function_definition) @unit

(comment) @comment
