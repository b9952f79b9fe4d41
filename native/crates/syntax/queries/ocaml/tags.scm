; Modules and types.
(module_definition (module_binding (module_name) @name)) @definition.module
(module_type_definition (module_type_name) @name) @definition.interface
(class_definition (class_binding (class_name) @name)) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name)) @definition.interface
(type_binding name: (type_constructor) @name body: (record_declaration)) @definition.struct
(type_binding name: (type_constructor) @name body: (variant_declaration)) @definition.enum
(type_binding name: (type_constructor) @name) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type

; Values of modules: functions have parameters or a function for a body.
(compilation_unit (value_definition
  (let_binding
    pattern: [
      (value_name) @name
      (parenthesized_operator (_) @name)
    ]
    (parameter)) @definition.function))
(compilation_unit (value_definition
  (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @definition.function))
(compilation_unit (value_definition (let_binding pattern: (parenthesized_operator (_) @name)) @definition.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
(compilation_unit (value_definition (let_binding pattern: (tuple_pattern (value_name) @name)) @definition.constant))
(structure (value_definition
  (let_binding
    pattern: [
      (value_name) @name
      (parenthesized_operator (_) @name)
    ]
    (parameter)) @definition.function))
(structure (value_definition
  (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @definition.function))
(structure (value_definition (let_binding pattern: (parenthesized_operator (_) @name)) @definition.function))
(structure (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
(structure (value_definition (let_binding pattern: (tuple_pattern (value_name) @name)) @definition.constant))
(external [
  (value_name) @name
  (parenthesized_operator (_) @name)
]) @definition.function
(value_specification [
  (value_name) @name
  (parenthesized_operator (_) @name)
] type: (function_type)) @definition.function
(value_specification (value_name) @name) @definition.constant

; Members.
(method_definition (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.constant
(instance_variable_specification (instance_variable_name) @name) @definition.constant
(field_declaration (field_name) @name) @definition.constant
(constructor_declaration (constructor_name) @name) @definition.constant

; Bases: a class that is inherited, a signature that a module has, a module that it includes.
(inheritance_definition class: (class_path) @inherit)
(inheritance_specification class_type: (class_type_path) @inherit)
(module_definition (module_binding module_type: (module_type_path) @implement))
(include_module module: (module_path) @inherit)
(include_module_type module_type: (module_type_path) @inherit)

; Calls, by application, by pipe and of methods.
(application_expression
  function: (value_path (module_path)? @receiver (value_name) @name)) @reference.call
(infix_expression
  operator: (_) @_operator
  right: (value_path (module_path)? @receiver (value_name) @name)
  (#any-of? @_operator "|>" ">>=" ">>|" ">|=")) @reference.call
(infix_expression
  left: (value_path (module_path)? @receiver (value_name) @name)
  operator: (_) @_operator
  (#eq? @_operator "@@")) @reference.call
(method_invocation object: (_) @receiver method: (method_name) @name) @reference.call

(application_expression
  function: (constructor_path (module_path)? @receiver (constructor_name) @name)) @reference.construct
(new_expression (class_path (module_path)? @receiver (class_name) @name)) @reference.construct

(type_constructor_path (extended_module_path)? @receiver (type_constructor) @name) @reference.type

; Imports.
(module_definition (module_binding (module_name) @import.alias body: (module_path) @source)) @import
(open_module module: (module_path) @source) @import
