(function_definition declarator: [(function_declarator) (pointer_declarator)]) @unit
; A macro that looks like a function: TEST(name).
(function_definition
  type: (type_identifier) @_macro
  declarator: (parenthesized_declarator (identifier))
  (#match? @_macro "^[A-Z][A-Z0-9_]+$")) @unit
(preproc_function_def) @unit

(struct_specifier name: (_) body: (_)) @unit
(union_specifier name: (_) body: (_)) @unit
(enum_specifier name: (_) body: (_)) @unit

; A typedef of an unnamed body is that body's only name; of a named one it is a shell around it.
(type_definition type: (struct_specifier !name body: (_))) @unit
(type_definition type: (union_specifier !name body: (_))) @unit
(type_definition type: (enum_specifier !name body: (_))) @unit
(type_definition type: (struct_specifier name: (_) body: (_))) @wrapper
(type_definition type: (union_specifier name: (_) body: (_))) @wrapper
(type_definition type: (enum_specifier name: (_) body: (_))) @wrapper

(comment) @comment
