; inherits: typescript

; Elements of components; those in lower case are HTML's.
(jsx_opening_element name: (identifier) @name (#match? @name "^[A-Z]")) @reference.construct
(jsx_self_closing_element name: (identifier) @name (#match? @name "^[A-Z]")) @reference.construct
(jsx_opening_element
  name: (member_expression object: (_) @receiver property: (property_identifier) @name)) @reference.construct
(jsx_self_closing_element
  name: (member_expression object: (_) @receiver property: (property_identifier) @name)) @reference.construct

; A handler of an element.
(jsx_expression [(identifier) @name
  (member_expression object: [(identifier) (this) (member_expression)] @receiver property: (property_identifier) @name)]) @reference.value
