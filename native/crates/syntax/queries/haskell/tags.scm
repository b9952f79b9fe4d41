(header module: (module) @name) @definition.module

; Types, their constructors and fields.
(data_type name: (_) @name) @definition.struct
(newtype name: (_) @name) @definition.struct
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(class name: (_) @name) @definition.trait
(data_constructor constructor: (prefix name: (_) @name)) @definition.constant
(data_constructor constructor: (record name: (_) @name)) @definition.constant
(data_constructor constructor: (infix operator: (_) @name)) @definition.constant
(gadt_constructor name: (_) @name) @definition.constant
(newtype_constructor name: (_) @name) @definition.constant
(field name: (field_name (variable) @name)) @definition.constant

; Functions: one node for each equation. A class states its functions by signature.
(declarations (function name: [
  (variable) @name
  (prefix_id (_) @name)
]) @definition.function)
(declarations (function (infix operator: (_) @name)) @definition.function)
(declarations (bind name: [
  (variable) @name
  (prefix_id (_) @name)
]) @definition.function)
(declarations (pattern_synonym (equation synonym: (constructor) @name)) @definition.function)
(declarations (foreign_import signature: (signature name: (variable) @name)) @definition.function)
(class_declarations declaration: (signature name: [
  (variable) @name
  (prefix_id (_) @name)
]) @definition.function)
(class_declarations declaration: (signature names: (binding_list name: [
  (variable)
  (prefix_id (_))
] @name @definition.function)))
(class_declarations declaration: (function name: [
  (variable) @name
  (prefix_id (_) @name)
]) @definition.function)
(class_declarations declaration: (bind name: [
  (variable) @name
  (prefix_id (_) @name)
]) @definition.function)
(instance_declarations declaration: (function name: [
  (variable) @name
  (prefix_id (_) @name)
]) @definition.function)
(instance_declarations declaration: (function (infix operator: (_) @name)) @definition.function)
(instance_declarations declaration: (bind name: [
  (variable) @name
  (prefix_id (_) @name)
]) @definition.function)

; Classes that are served.
(instance name: (_) @implement)
(deriving classes: (name) @implement)
(deriving classes: (parens (name) @implement))
(deriving classes: (tuple (name) @implement))

; Calls: an application, and a name that composition, application or `do` takes as a function.
(apply function: (qualified module: (module (module_id) @receiver .) id: (variable) @name)) @reference.call
(apply function: (variable) @name) @reference.call
(infix
  left_operand: (variable) @name
  operator: (operator) @_operator
  (#any-of? @_operator "$" "$!" "." "<$>" "=<<" ">=>" "<=<" "&&&" "***" ">>>")) @reference.call
(infix
  right_operand: (variable) @name
  operator: (operator) @_operator
  (#any-of? @_operator "." "&" ">>=" "<&>" ">=>" "<=<" "&&&" "***" ">>>")) @reference.call
(do statement: (exp (variable) @name)) @reference.call
(bind arrow: "<-" expression: (variable) @name) @reference.call

(apply function: (qualified module: (module (module_id) @receiver .) id: (constructor) @name)) @reference.construct
(apply function: (constructor) @name) @reference.construct

(qualified module: (module (module_id) @receiver .) id: (name) @name) @reference.type
(name) @name @reference.type

(import module: (module) @source alias: (module) @import.alias) @import
(import
  module: (module) @source
  names: (import_list name: (import_name [
    variable: (variable) @import.name
    type: (name) @import.name
  ]))
  (#not-match? @import "\\bhiding\\b")) @import
(import module: (module) @source) @import

; Names that stand alone.
(qualified module: (module (module_id) @receiver .) id: (variable) @name) @reference.bare
(variable) @name @reference.bare
