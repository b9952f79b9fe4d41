(function_definition
  declarator: [
    (function_declarator)
    (pointer_declarator)
    (reference_declarator)
    (operator_cast)
    (qualified_identifier)
  ]) @unit
(preproc_function_def) @unit

(namespace_definition) @container
(class_specifier name: (_) body: (_)) @container
(struct_specifier name: (_) body: (_)) @container
(union_specifier name: (_) body: (_)) @container
(enum_specifier name: (_) body: (_)) @unit
(concept_definition) @unit
; `class EXPORT_MACRO Name {` is read as a function without parameters.
(function_definition type: [(class_specifier) (struct_specifier)] declarator: (identifier)) @container

(template_declaration) @wrapper
(field_declaration type: (class_specifier body: (_))) @wrapper
(field_declaration type: (struct_specifier body: (_))) @wrapper
(field_declaration type: (enum_specifier body: (_))) @wrapper

; A typedef of an unnamed body is that body's only name; of a named one it is a shell around it.
(type_definition type: (struct_specifier !name body: (_))) @container
(type_definition type: (union_specifier !name body: (_))) @container
(type_definition type: (enum_specifier !name body: (_))) @unit
(type_definition type: (struct_specifier name: (_) body: (_))) @wrapper
(type_definition type: (union_specifier name: (_) body: (_))) @wrapper
(type_definition type: (enum_specifier name: (_) body: (_))) @wrapper

(comment) @comment
