; Custom properties.
(declaration
  (property_name) @name
  (#match? @name "^--")) @definition.constant

(import_statement (string_value) @source) @import
(import_statement (call_expression (arguments (_) @source))) @import
