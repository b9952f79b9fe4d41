; A field is a chunk of its own only when its type is oversized.
(object_type_definition) @unit
(interface_type_definition) @unit
(input_object_type_definition) @unit
(enum_type_definition) @unit
(union_type_definition) @unit
(scalar_type_definition) @unit
(directive_definition) @unit
(schema_definition) @unit
(operation_definition) @unit
(fragment_definition) @unit
(field_definition) @unit

; What is added to a type belongs to it.
(object_type_extension (name) @scope) @container
(interface_type_extension (name) @scope) @container
(input_object_type_extension (name) @scope) @container
(enum_type_extension (name) @scope) @container

(comment) @comment
(description) @comment
