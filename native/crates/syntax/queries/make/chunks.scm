; Rules by their first target, without special targets such as `.PHONY`.
(rule
  (targets . (_) @name)
  (#not-match? @name "^\\.[A-Z]")) @section
(define_directive) @unit

(comment) @comment
