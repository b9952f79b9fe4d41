(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(type_alias_statement left: (type (identifier) @name)) @definition.type

; Variables of the module and of classes, also `x: int = 1` and `a, b = 1, 2`.
(module (expression_statement (assignment left: (identifier) @name) @definition.constant))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.constant))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.constant)))

(class_definition superclasses: (argument_list [(identifier) (attribute)] @inherit))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @inherit)))

(decorator [
  (identifier) @name
  (attribute object: (_) @receiver attribute: (identifier) @name)
  (call function: [
    (identifier) @name
    (attribute object: (_) @receiver attribute: (identifier) @name)
  ])
]) @reference.decorator
(call function: (attribute object: (_) @receiver attribute: (identifier) @name)) @reference.call
(call function: (identifier) @name) @reference.call
(type (identifier) @name) @reference.type
(type (attribute object: (_) @receiver attribute: (identifier) @name)) @reference.type
(generic_type (identifier) @name) @reference.type

(import_statement name: (aliased_import name: (dotted_name) @source alias: (identifier) @import.alias)) @import
(import_statement name: (dotted_name) @source) @import
(import_from_statement
  module_name: (_) @source
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
(import_from_statement module_name: (_) @source name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @source (wildcard_import) @import.name) @import

; Members that are assigned or deleted.
[
  (assignment left: (attribute object: (_) @receiver attribute: (identifier) @name))
  (pattern_list (attribute object: (_) @receiver attribute: (identifier) @name))
  (tuple_pattern (attribute object: (_) @receiver attribute: (identifier) @name))
  (list_pattern (attribute object: (_) @receiver attribute: (identifier) @name))
  (list_splat_pattern (attribute object: (_) @receiver attribute: (identifier) @name))
  (for_statement left: (attribute object: (_) @receiver attribute: (identifier) @name))
  (for_in_clause left: (attribute object: (_) @receiver attribute: (identifier) @name))
  (as_pattern_target (attribute object: (_) @receiver attribute: (identifier) @name))
  (delete_statement (attribute object: (_) @receiver attribute: (identifier) @name))
  (delete_statement (expression_list (attribute object: (_) @receiver attribute: (identifier) @name)))
] @reference.write

; Functions and types that are handed on, kept or returned as values.
(call arguments: (argument_list [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)])) @reference.value
(keyword_argument value: [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(list [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(tuple [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(set [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(pair value: [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(assignment right: [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(return_statement [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(default_parameter value: [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(expression_list [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value
(boolean_operator [(identifier) @name
  (attribute object: [(identifier) (attribute)] @receiver attribute: (identifier) @name)]) @reference.value

; Members that are read, which properties compute.
(attribute object: (_) @receiver attribute: (identifier) @name) @reference.bare
