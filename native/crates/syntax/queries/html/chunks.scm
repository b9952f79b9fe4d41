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

; Other languages inside; a script is JavaScript unless it says otherwise.
(script_element
  (start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @_value)))
  (raw_text) @embedded.json
  (#eq? @_attribute "type")
  (#any-of? @_value "application/json" "application/ld+json" "importmap" "speculationrules"))
(script_element
  (start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @_value)))
  (raw_text) @embedded.html
  (#eq? @_attribute "type")
  (#any-of? @_value "text/html" "text/template" "text/x-template" "text/x-handlebars-template"))
(script_element (raw_text) @embedded.javascript)
(style_element (raw_text) @embedded.css)

(comment) @comment
