(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(record_declaration name: (identifier) @name) @definition.struct
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(enum_constant name: (identifier) @name) @definition.constant

(superclass [(type_identifier) (scoped_type_identifier) (generic_type)] @inherit)
(super_interfaces (type_list [(type_identifier) (scoped_type_identifier) (generic_type)] @implement))
(extends_interfaces (type_list [(type_identifier) (scoped_type_identifier) (generic_type)] @inherit))

(method_invocation object: (_) @receiver name: (identifier) @name arguments: (_) @arguments) @reference.call
(method_invocation name: (identifier) @name arguments: (_) @arguments) @reference.call
(method_reference . (_) @receiver (identifier) @name .) @reference.call
(object_creation_expression type: [
  (scoped_type_identifier (_) @receiver (type_identifier) @name .)
  (generic_type (scoped_type_identifier (_) @receiver (type_identifier) @name .))
]) @reference.construct
(object_creation_expression type: [
  (type_identifier) @name
  (generic_type (type_identifier) @name)
]) @reference.construct
(annotation name: (identifier) @name) @reference.type
(marker_annotation name: (identifier) @name) @reference.type
(scoped_type_identifier (_) @receiver (type_identifier) @name .) @reference.type
(type_identifier) @name @reference.type

(import_declaration (_) @source (asterisk) @import.name) @import
(import_declaration (scoped_identifier scope: (_) @source name: (identifier) @import.name) .) @import
