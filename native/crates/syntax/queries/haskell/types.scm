; Variables: what patterns bind, and what is defined inside of a function.
(function patterns: (_) @pattern)
(function (infix left_operand: (_) @pattern))
(function (infix right_operand: (_) @pattern))
(lambda patterns: (_) @pattern)
(alternative pattern: (_) @pattern)
(generator pattern: (_) @pattern)
(pattern_guard pattern: (_) @pattern)
(bind pattern: (_) @pattern)
(local_binds decl: (bind name: (variable) @local.early))
(local_binds decl: (function name: (variable) @local.early))
(local_binds decl: (function) @block)
[(lambda) (alternative)] @block
(list_comprehension) @block.early

; Types, and names that are listed.
[(signature) (data_type) (newtype) (type_synonym) (type_family) (exports) (import)] @pattern
(field_name) @pattern
