(template_element (start_tag (tag_name) @name)) @section
(script_element (start_tag (tag_name) @name)) @section
(style_element (start_tag (tag_name) @name)) @section

; Other languages inside; a script is JavaScript unless it says otherwise.
(script_element
  (start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @_value)))
  (raw_text) @embedded.typescript
  (#eq? @_attribute "lang")
  (#any-of? @_value "ts" "typescript"))
(script_element
  (start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @_value)))
  (raw_text) @embedded.tsx
  (#eq? @_attribute "lang")
  (#any-of? @_value "tsx"))
(script_element (raw_text) @embedded.javascript)
(style_element
  (start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @_value)))
  (raw_text) @embedded.scss
  (#eq? @_attribute "lang")
  (#any-of? @_value "scss" "less"))
(style_element (raw_text) @embedded.css)

; Expressions in the template, when they call something.
(interpolation
  (raw_text) @embedded.javascript
  (#match? @embedded.javascript "\\("))
(directive_attribute
  (quoted_attribute_value (attribute_value) @embedded.javascript)
  (#match? @embedded.javascript "\\("))

(comment) @comment
