(snippet_statement (snippet_start (snippet_name) @name)) @definition.function

; Components in use.
(start_tag
  (tag_name) @name
  (#match? @name "^[A-Z]")) @reference.construct
(self_closing_tag
  (tag_name) @name
  (#match? @name "^[A-Z]")) @reference.construct
