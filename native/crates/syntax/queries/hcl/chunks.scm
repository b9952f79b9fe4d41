; Blocks by their labels, at the top level also those without any.
(block
  (string_lit (template_literal) @scope)
  .
  (string_lit (template_literal) @name)) @section
(block (identifier) . (string_lit (template_literal) @name)) @section
(block (identifier) . (identifier) @name) @section
(config_file (body (block (identifier) @name) @section))

(comment) @comment
