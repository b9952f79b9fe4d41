(method_declaration body: (_)) @unit
(constructor_declaration) @unit
(static_initializer "static" @name) @unit
(trigger_declaration) @unit
(field_declaration (accessor_list (accessor_declaration body: (_)))) @unit

(class_declaration) @container
(interface_declaration) @container
(enum_declaration) @unit

[(line_comment) (block_comment)] @comment
