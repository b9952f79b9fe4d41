(function_definition) @unit
(macro_definition) @unit
(assignment . (call_expression)) @unit
(assignment . (where_expression)) @unit
(assignment . (typed_expression . (call_expression))) @unit

(module_definition) @container
(struct_definition) @container

; `@inline function …`, `Base.@kwdef struct …`
(macrocall_expression (macro_argument_list [(function_definition) (struct_definition)])) @wrapper
(macro_argument_list [(function_definition) (struct_definition)]) @wrapper

; Blocks of tests.
(macrocall_expression
  (macro_identifier) @_macro
  (macro_argument_list (string_literal) @name)
  (#eq? @_macro "@testset")) @unit

[(line_comment) (block_comment)] @comment
; Documentation stands before what it is about.
(source_file (string_literal) @comment)
(module_definition (string_literal) @comment)
(struct_definition (string_literal) @comment)
