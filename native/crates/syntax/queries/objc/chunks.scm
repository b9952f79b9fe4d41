; inherits: c

(method_definition) @unit

(class_interface . (identifier) @scope !superclass) @container
(class_interface) @container
(class_implementation . (identifier) @scope) @container
(protocol_declaration) @container
