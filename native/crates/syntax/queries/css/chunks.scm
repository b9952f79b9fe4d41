; Rules by their first selector; what groups rules by a condition is no part of their names.
(rule_set (selectors . (_) @name)) @section
(keyframes_statement (keyframes_name) @name) @section
(media_statement (block)) @section
(supports_statement (block)) @section
(scope_statement (block)) @section
(at_rule (keyword_query) @name (block)) @section
(at_rule (at_keyword) @name (block)) @section

(comment) @comment
(js_comment) @comment
