(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope
    (generic_type) @scope
    (pointer_type [(type_identifier) (generic_type)] @scope)
  ]))
  name: (field_identifier) @name) @definition.method
(type_spec name: (type_identifier) @name type: (struct_type)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.constant)))
(field_declaration name: (field_identifier) @name) @definition.constant
(method_elem name: (field_identifier) @name) @definition.method

(field_declaration !name type: [(type_identifier) (qualified_type) (generic_type)] @inherit)
(field_declaration !name type: (pointer_type [(type_identifier) (qualified_type)] @inherit))
(interface_type (type_elem . [(type_identifier) (qualified_type)] @inherit .))

(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @name)) @reference.call
(call_expression function: (identifier) @name) @reference.call
; With type arguments a call is read as a conversion: `Map[int](list)`.
(type_conversion_expression type: (generic_type type: [
  (type_identifier) @name
  (qualified_type package: (_) @receiver name: (type_identifier) @name)
])) @reference.call
(call_expression function: (index_expression operand: [
  (identifier) @name
  (selector_expression operand: (_) @receiver field: (field_identifier) @name)
])) @reference.call
(composite_literal type: (type_identifier) @name) @reference.construct
(composite_literal type: (qualified_type package: (_) @receiver name: (type_identifier) @name)) @reference.construct
(qualified_type package: (_) @receiver name: (type_identifier) @name) @reference.type
(type_identifier) @name @reference.type

(import_spec name: (package_identifier) @import.alias path: (_) @source) @import
(import_spec path: (_) @source) @import

; Functions and types that are handed on, kept or returned as values.
(argument_list [(identifier) @name
  (selector_expression operand: [(identifier) (selector_expression)] @receiver field: (field_identifier) @name)]) @reference.value
(short_var_declaration right: (expression_list [(identifier) @name
  (selector_expression operand: [(identifier) (selector_expression)] @receiver field: (field_identifier) @name)])) @reference.value
(assignment_statement right: (expression_list [(identifier) @name
  (selector_expression operand: [(identifier) (selector_expression)] @receiver field: (field_identifier) @name)])) @reference.value
(var_spec value: (expression_list [(identifier) @name
  (selector_expression operand: [(identifier) (selector_expression)] @receiver field: (field_identifier) @name)])) @reference.value
(return_statement (expression_list [(identifier) @name
  (selector_expression operand: [(identifier) (selector_expression)] @receiver field: (field_identifier) @name)])) @reference.value
(keyed_element value: (literal_element [(identifier) @name
  (selector_expression operand: [(identifier) (selector_expression)] @receiver field: (field_identifier) @name)])) @reference.value
(literal_value (literal_element [(identifier) @name
  (selector_expression operand: [(identifier) (selector_expression)] @receiver field: (field_identifier) @name)])) @reference.value
