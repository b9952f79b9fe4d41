; Functions, and values without arguments.
(file
  (value_declaration
    (function_declaration_left (lower_case_identifier) @name pattern: (_))) @definition.function)
(file (value_declaration (function_declaration_left (lower_case_identifier) @name)) @definition.constant)
(port_annotation name: (lower_case_identifier) @name) @definition.function

; Types.
(type_declaration name: (upper_case_identifier) @name) @definition.enum
(union_variant name: (upper_case_identifier) @name) @definition.constant
(type_alias_declaration
  name: (upper_case_identifier) @name
  typeExpression: (type_expression part: (record_type))) @definition.struct
(type_alias_declaration name: (upper_case_identifier) @name) @definition.type
(type_alias_declaration
  typeExpression: (type_expression
    part: (record_type
      fieldType: (field_type name: (lower_case_identifier) @name) @definition.constant)))

; Imports, once for each exposed name; an alias stands for the module.
(import_clause
  moduleName: (upper_case_qid) @source
  asClause: (as_clause name: (upper_case_identifier) @import.alias)) @import
(import_clause
  moduleName: (upper_case_qid) @source
  exposing: (exposing_list (exposed_value) @import.name)) @import
(import_clause
  moduleName: (upper_case_qid) @source
  exposing: (exposing_list (exposed_type (upper_case_identifier) @import.name))) @import
(import_clause
  moduleName: (upper_case_qid) @source
  exposing: (exposing_list doubleDot: (double_dot) @import.name)) @import
(import_clause moduleName: (upper_case_qid) @source) @import

; Calls.
(function_call_expr
  target: (value_expr
    name: (value_qid (upper_case_identifier) @receiver (lower_case_identifier) @name))) @reference.call
(function_call_expr target: (value_expr name: (value_qid . (lower_case_identifier) @name))) @reference.call
(function_call_expr
  target: (value_expr name: (upper_case_qid (upper_case_identifier) @name .))) @reference.construct

(type_ref (upper_case_qid (upper_case_identifier) @name .)) @reference.type
