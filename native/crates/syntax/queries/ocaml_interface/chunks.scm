(value_specification) @unit
(external) @unit
(type_definition) @unit
(exception_definition) @unit

(module_definition) @container
(module_type_definition) @container
(class_definition) @container
(class_type_definition) @container

(comment) @comment
