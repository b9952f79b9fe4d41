(script_element (start_tag (tag_name) @name)) @section
(style_element (start_tag (tag_name) @name)) @section
(snippet_statement) @unit

; Other languages inside; a script is JavaScript unless it says otherwise.
(script_element
  (start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @_value)))
  (raw_text) @embedded.typescript
  (#eq? @_attribute "lang")
  (#any-of? @_value "ts" "typescript"))
(script_element (raw_text) @embedded.javascript)
(style_element
  (start_tag (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @_value)))
  (raw_text) @embedded.scss
  (#eq? @_attribute "lang")
  (#any-of? @_value "scss" "less"))
(style_element (raw_text) @embedded.css)

; Expressions in the markup, when they call something.
(expression
  (svelte_raw_text) @embedded.javascript
  (#match? @embedded.javascript "\\("))
(if_start
  condition: (svelte_raw_text) @embedded.javascript
  (#match? @embedded.javascript "\\("))
(else_if_start
  condition: (svelte_raw_text) @embedded.javascript
  (#match? @embedded.javascript "\\("))
(each_start
  identifier: (svelte_raw_text) @embedded.javascript
  (#match? @embedded.javascript "\\("))
(render_tag
  (svelte_raw_text) @embedded.javascript
  (#match? @embedded.javascript "\\("))
(const_tag
  (svelte_raw_text) @embedded.javascript
  (#match? @embedded.javascript "\\("))

(comment) @comment
