(method_declaration body: (_)) @unit
(constructor_declaration) @unit

; Blocks of a build script: `dependencies { … }`.
(source_file (command_chain receiver: (identifier) @name argument: (closure)) @unit)

(class_declaration) @container
(interface_declaration) @container
(trait_declaration) @container
(enum_declaration) @container
(annotation_type_declaration) @container

[(line_comment) (block_comment) (groovydoc_comment)] @comment
