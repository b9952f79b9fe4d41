(script_element (start_tag (tag_name) @name)) @section
(style_element (start_tag (tag_name) @name)) @section
(snippet_statement) @unit

(comment) @comment
