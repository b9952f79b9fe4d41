(function_item) @unit
(macro_definition) @unit
(struct_item) @unit
(enum_item) @unit
(union_item) @unit

(impl_item type: (_) @scope) @container
(trait_item) @container
(mod_item body: (_)) @container
(foreign_mod_item body: (_)) @container

(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment
