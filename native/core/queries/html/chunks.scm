; Scripts, styles, and elements that structure a page; an id is the better name.
(script_element (start_tag (tag_name) @name)) @section
(style_element (start_tag (tag_name) @name)) @section
(element
  (start_tag
    (tag_name) @_tag
    (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @name)))
  (#not-any-of? @_tag "h1" "h2" "h3" "h4" "h5" "h6" "a" "span" "label" "input" "button")
  (#eq? @_attribute "id")) @section
(element
  (start_tag (tag_name) @_tag)
  (#any-of? @_tag
    "head" "body" "main" "header" "footer" "nav" "aside" "article" "section" "form" "table" "template" "dialog")) @section

; A heading leads what follows it.
(element
  (start_tag (tag_name) @_tag)
  .
  (text) @name
  (#any-of? @_tag "h1" "h2" "h3")) @section.open

(comment) @comment
