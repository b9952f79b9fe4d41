; Settings at the top level of a variables file, and named locals.
(config_file (body (attribute (identifier) @name) @definition.constant))
(block
  (identifier) @_type
  (body (attribute (identifier) @name) @definition.constant)
  (#eq? @_type "locals"))

; Uses of other blocks: data sources, then `var.x`, `local.x`, `module.x` and resources.
(expression
  (variable_expr (identifier) @_root)
  .
  (get_attr (identifier) @receiver)
  .
  (get_attr (identifier) @name)
  (#eq? @_root "data")) @reference.type
(expression
  (variable_expr (identifier) @receiver)
  .
  (get_attr (identifier) @name)
  (#not-any-of? @receiver "data" "each" "self" "path" "count" "terraform")) @reference.type

(block
  (identifier) @_type
  (body
    (attribute
      (identifier) @_key
      (expression (literal_value (string_lit (template_literal) @source)))))
  (#eq? @_type "module")
  (#eq? @_key "source")) @import
