; Modules and types.
(namespace_declaration name: (_) @name) @definition.module
(file_scoped_namespace_declaration name: (_) @name) @definition.module
(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(struct_declaration name: (identifier) @name) @definition.struct
(record_declaration name: (identifier) @name) @definition.struct
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type

; Functions.
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration
  operator: [
    "+" "-" "*" "/" "%" "!" "~" "++" "--" "&" "|" "^" "<<" ">>" ">>>" "==" "!=" "<" ">" "<=" ">=" "true" "false"
  ] @name) @definition.method
(conversion_operator_declaration "operator" @name) @definition.method
(indexer_declaration "this" @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function

; Members and top-level variables; a record's parameters are its properties.
(property_declaration name: (identifier) @name) @definition.constant
(event_declaration name: (identifier) @name) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(enum_member_declaration name: (identifier) @name) @definition.constant
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.constant))
(global_statement
  (local_declaration_statement
    (variable_declaration (variable_declarator name: (identifier) @name)))) @definition.constant

; Bases. A class names its base class and its interfaces alike.
(class_declaration (base_list [
  (identifier) @inherit
  (qualified_name) @inherit
  (generic_name (identifier) @inherit)
  (primary_constructor_base_type type: (_) @inherit)
]))
(record_declaration (base_list [
  (identifier) @inherit
  (qualified_name) @inherit
  (generic_name (identifier) @inherit)
  (primary_constructor_base_type type: (_) @inherit)
]))
(interface_declaration (base_list [
  (identifier) @inherit
  (qualified_name) @inherit
  (generic_name (identifier) @inherit)
]))
(struct_declaration (base_list [
  (identifier) @implement
  (qualified_name) @implement
  (generic_name (identifier) @implement)
]))

; Calls.
(invocation_expression
  function: [
    (identifier) @name
    (generic_name (identifier) @name)
  ]) @reference.call
(invocation_expression
  function: (member_access_expression
    expression: [(_) "this" "base"] @receiver
    name: [
      (identifier) @name
      (generic_name (identifier) @name)
    ])) @reference.call
(invocation_expression
  function: (conditional_access_expression
    condition: (_) @receiver
    (member_binding_expression
      name: [
        (identifier) @name
        (generic_name (identifier) @name)
      ]))) @reference.call
(invocation_expression
  function: (member_binding_expression
    name: [
      (identifier) @name
      (generic_name (identifier) @name)
    ])) @reference.call

; Construction.
(object_creation_expression
  type: [
    (identifier) @name
    (generic_name (identifier) @name)
    (qualified_name qualifier: (_) @receiver name: (identifier) @name)
    (qualified_name qualifier: (_) @receiver name: (generic_name (identifier) @name))
  ]) @reference.construct

; Types in use.
(attribute name: (identifier) @name @reference.type)
(attribute name: (qualified_name name: (identifier) @name @reference.type))
(type_argument_list (identifier) @name @reference.type)
(type_argument_list (generic_name (identifier) @name @reference.type))
(nullable_type type: (identifier) @name @reference.type)
(nullable_type type: (generic_name (identifier) @name @reference.type))
(array_type type: (identifier) @name @reference.type)
(array_type type: (generic_name (identifier) @name @reference.type))
(parameter type: (identifier) @name @reference.type)
(parameter type: (generic_name (identifier) @name @reference.type))
(variable_declaration type: (identifier) @name @reference.type)
(variable_declaration type: (generic_name (identifier) @name @reference.type))
(property_declaration type: (identifier) @name @reference.type)
(property_declaration type: (generic_name (identifier) @name @reference.type))
(indexer_declaration type: (identifier) @name @reference.type)
(event_declaration type: (identifier) @name @reference.type)
(method_declaration returns: (identifier) @name @reference.type)
(method_declaration returns: (generic_name (identifier) @name @reference.type))
(delegate_declaration type: (identifier) @name @reference.type)
(operator_declaration type: (identifier) @name @reference.type)
(local_function_statement type: (identifier) @name @reference.type)
(cast_expression type: (identifier) @name @reference.type)
(cast_expression type: (generic_name (identifier) @name @reference.type))
(as_expression right: (identifier) @name @reference.type)
(is_expression right: (identifier) @name @reference.type)
(declaration_pattern type: (identifier) @name @reference.type)
(typeof_expression type: (identifier) @name @reference.type)
(catch_declaration type: (identifier) @name @reference.type)

(using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @source) @import
(using_directive name: (identifier) @import.alias (_) @source) @import
