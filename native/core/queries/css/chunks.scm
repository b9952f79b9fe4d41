; Rules by their first selector, and what groups rules by its first condition.
(rule_set (selectors . (_) @name)) @section
(keyframes_statement (keyframes_name) @name) @section
(media_statement . (_) @name (block)) @section
(supports_statement . (_) @name (block)) @section
(scope_statement (block)) @section
(at_rule (keyword_query) @name (block)) @section
(at_rule (at_keyword) @name (block)) @section

(comment) @comment
(js_comment) @comment
