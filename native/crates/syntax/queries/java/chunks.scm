(method_declaration body: (_)) @unit
(constructor_declaration) @unit
(compact_constructor_declaration) @unit
(static_initializer) @unit

(class_declaration) @container
(interface_declaration) @container
(enum_declaration) @container
(record_declaration) @container
(annotation_type_declaration) @container

(line_comment) @comment
(block_comment) @comment
