(frontmatter) @section
(script_element (start_tag (tag_name) @name)) @section
(style_element (start_tag (tag_name) @name)) @section

; Other languages inside; Astro's scripts may always be TypeScript.
(frontmatter (frontmatter_js_block) @embedded.typescript)
(script_element (raw_text) @embedded.typescript)
(style_element
  (start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @_value)))
  (raw_text) @embedded.scss
  (#eq? @_attribute "lang")
  (#any-of? @_value "scss" "less"))
(style_element (raw_text) @embedded.css)

; Expressions in the markup, when they call something and hold no markup themselves.
(attribute_interpolation
  (attribute_js_expr) @embedded.typescript
  (#match? @embedded.typescript "\\("))
(html_interpolation
  .
  (permissible_text) @embedded.typescript
  .
  (#match? @embedded.typescript "\\("))

(comment) @comment
