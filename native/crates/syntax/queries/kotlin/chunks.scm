(function_declaration (function_body)) @unit
(secondary_constructor) @unit
(anonymous_initializer "init" @name) @unit
(property_declaration (getter)) @unit
(property_declaration (setter)) @unit

(class_declaration) @container
(object_declaration) @container
(companion_object) @container
(enum_entry (class_body)) @container

[(line_comment) (block_comment)] @comment
