(compilation_unit (value_definition) @unit)
(structure (value_definition) @unit)
(type_definition) @unit
(method_definition) @unit
(class_initializer) @unit

(module_definition) @container
(module_type_definition) @container
(class_definition) @container
(class_type_definition) @container

(comment) @comment
