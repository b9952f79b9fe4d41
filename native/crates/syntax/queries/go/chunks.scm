(function_declaration) @unit
(method_declaration) @unit
(type_declaration) @unit
(comment) @comment
