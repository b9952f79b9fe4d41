; A function that returns a type is a generic type: its members are units.
(function_declaration type: (builtin_type "type") body: (_)) @container
(function_declaration body: (_)) @unit
(test_declaration) @unit

(variable_declaration (struct_declaration)) @container
(variable_declaration (union_declaration)) @container
(variable_declaration (enum_declaration)) @container
(variable_declaration (opaque_declaration)) @container

(comment) @comment
