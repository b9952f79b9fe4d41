; A script with a class name is that class.
(source (class_name_statement)) @container
(class_definition) @container

(function_definition) @unit
(constructor_definition) @unit
(enum_definition) @unit
(variable_statement (setget)) @unit

(source (annotation) @attribute)
(comment) @comment
