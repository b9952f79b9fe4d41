; Types.
(object_type_definition (name) @name) @definition.struct
(interface_type_definition (name) @name) @definition.interface
(input_object_type_definition (name) @name) @definition.struct
(enum_type_definition (name) @name) @definition.enum
(union_type_definition (name) @name) @definition.type
(scalar_type_definition (name) @name) @definition.type

; Operations; a field with arguments is one of its type's methods.
(directive_definition (name) @name) @definition.function
(operation_definition (name) @name) @definition.function
(fragment_definition (fragment_name (name) @name)) @definition.type
(field_definition (name) @name (arguments_definition)) @definition.method

; Fields and values.
(field_definition (name) @name) @definition.constant
(input_fields_definition (input_value_definition (name) @name) @definition.constant)
(enum_value_definition (enum_value (name) @name)) @definition.constant

(implements_interfaces (named_type (name) @implement))

; Uses.
(fragment_spread (fragment_name (name) @name)) @reference.type
(directive (name) @name) @reference.call
(named_type
  (name) @name
  (#not-any-of? @name "Boolean" "Float" "ID" "Int" "String")) @reference.type
