; Components in use.
(start_tag
  (tag_name) @name
  (#match? @name "^[A-Z]")) @reference.construct
(self_closing_tag
  (tag_name) @name
  (#match? @name "^[A-Z]")) @reference.construct
