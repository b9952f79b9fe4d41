(frontmatter) @section
(script_element (start_tag (tag_name) @name)) @section
(style_element (start_tag (tag_name) @name)) @section

(comment) @comment
