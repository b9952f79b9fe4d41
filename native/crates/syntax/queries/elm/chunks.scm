(file (value_declaration) @unit)
(file (port_annotation) @unit)
(type_declaration) @unit
(type_alias_declaration) @unit

(file (type_annotation) @attribute)
(line_comment) @comment
(block_comment) @comment
