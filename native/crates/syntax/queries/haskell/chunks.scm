(declarations (function) @unit.clause)
(declarations (bind) @unit.clause)
(declarations (pattern_synonym (equation)) @unit)
(declarations (foreign_import) @unit)
(declarations (data_type) @unit)
(declarations (newtype) @unit)
(class_declarations declaration: (function) @unit.clause)
(class_declarations declaration: (bind) @unit.clause)
(instance_declarations declaration: (function) @unit.clause)
(instance_declarations declaration: (bind) @unit.clause)

(class) @container
(instance patterns: (type_patterns (name) @scope)) @container
(instance patterns: (type_patterns (parens (apply constructor: (name) @scope)))) @container
(instance) @container

; A signature belongs to the equations that follow it.
(declarations (signature) @attribute)
(declarations (pattern_synonym (signature)) @attribute)
(class_declarations declaration: (signature) @attribute)
(instance_declarations declaration: (signature) @attribute)

[(comment) (haddock)] @comment
