; Types.
(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum

; Functions; a trigger is one that the database calls.
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(trigger_declaration name: (identifier) @name) @definition.function

; Fields, properties, enum values.
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(enum_constant name: (identifier) @name) @definition.constant

; Bases.
(superclass [
  (type_identifier) @inherit
  (scoped_type_identifier) @inherit
  (generic_type [(type_identifier) (scoped_type_identifier)] @inherit)
])
(interfaces (type_list [
  (type_identifier) @implement
  (scoped_type_identifier) @implement
  (generic_type [(type_identifier) (scoped_type_identifier)] @implement)
]))
(extends_interfaces (type_list [
  (type_identifier) @inherit
  (scoped_type_identifier) @inherit
  (generic_type [(type_identifier) (scoped_type_identifier)] @inherit)
]))

; Calls and construction.
(method_invocation object: (_) @receiver name: (identifier) @name) @reference.call
(method_invocation name: (identifier) @name) @reference.call
(object_creation_expression type: [
  (type_identifier) @name
  (scoped_type_identifier (type_identifier) @receiver . (type_identifier) @name)
  (generic_type (type_identifier) @name)
]) @reference.construct

; Types in use, objects of queries and triggers too.
(type_identifier) @name @reference.type
(storage_identifier (identifier) @name) @reference.type
(trigger_declaration object: (identifier) @name @reference.type)
(annotation name: (identifier) @name) @reference.type
