(function_declaration body: (_)) @unit
(init_declaration body: (_)) @unit
(deinit_declaration) @unit
(subscript_declaration) @unit
(property_declaration computed_value: (_)) @unit
(property_declaration (willset_didset_block)) @unit

(class_declaration declaration_kind: "extension" name: (user_type) @scope) @container
(class_declaration) @container
(protocol_declaration) @container

[(comment) (multiline_comment)] @comment
