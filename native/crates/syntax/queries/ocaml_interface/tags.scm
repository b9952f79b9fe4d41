; Modules and types.
(module_definition (module_binding (module_name) @name)) @definition.module
(module_type_definition (module_type_name) @name) @definition.interface
(class_definition (class_binding (class_name) @name)) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name)) @definition.interface
(type_binding name: (type_constructor) @name body: (record_declaration)) @definition.struct
(type_binding name: (type_constructor) @name body: (variant_declaration)) @definition.enum
(type_binding name: (type_constructor) @name) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type

; Values.
(value_specification [
  (value_name) @name
  (parenthesized_operator (_) @name)
] type: (function_type)) @definition.function
(value_specification (value_name) @name) @definition.constant
(external [
  (value_name) @name
  (parenthesized_operator (_) @name)
]) @definition.function

; Members.
(method_specification (method_name) @name) @definition.method
(instance_variable_specification (instance_variable_name) @name) @definition.constant
(field_declaration (field_name) @name) @definition.constant
(constructor_declaration (constructor_name) @name) @definition.constant

; Bases.
(inheritance_specification class_type: (class_type_path) @inherit)
(module_definition (module_binding module_type: (module_type_path) @implement))
(include_module_type module_type: (module_type_path) @inherit)

(type_constructor_path (extended_module_path)? @receiver (type_constructor) @name) @reference.type

(open_module_signature module: (extended_module_path) @source) @import
