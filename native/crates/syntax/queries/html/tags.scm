(script_element
  (start_tag
    (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @source)))
  (#eq? @_attribute "src")) @import
(element
  [
    (start_tag
      (tag_name) @_tag
      (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @source)))
    (self_closing_tag
      (tag_name) @_tag
      (attribute (attribute_name) @_attribute (quoted_attribute_value (attribute_value) @source)))
  ]
  (#eq? @_tag "link")
  (#eq? @_attribute "href")) @import
