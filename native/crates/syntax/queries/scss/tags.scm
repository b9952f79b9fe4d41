; inherits: css
(mixin_statement name: (identifier) @name) @definition.function
(function_statement name: (identifier) @name) @definition.function
(stylesheet
  (declaration
    (property_name) @name
    (#match? @name "^\\$")) @definition.constant)

; Calls of mixins, then of functions other than those of CSS.
(include_statement (identifier) @name) @reference.call
(call_expression
  (function_name) @name
  (#not-any-of? @name
    "attr" "calc" "clamp" "format" "hsl" "hsla" "linear-gradient" "local" "max" "min" "minmax" "repeat" "rgb" "rgba"
    "rotate" "scale" "translate" "translateX" "translateY" "url" "var")) @reference.call

(use_statement (string_value) @source) @import
(forward_statement (string_value) @source) @import
