; inherits: c

; Types. An interface without superclass is a category or an extension.
(class_interface . (identifier) @name superclass: (_)) @definition.class
(protocol_declaration . (identifier) @name) @definition.interface
(type_definition
  declarator: (function_declarator
    declarator: (parenthesized_declarator
      (block_pointer_declarator declarator: (type_identifier) @name)))) @definition.type

; `typedef NS_ENUM(type, Name) { … }` is read as a macro for a type; its values are read as names of types.
(type_definition
  type: (macro_type_specifier type: (type_descriptor type: (type_identifier) @name))) @definition.enum
(type_definition type: (macro_type_specifier) declarator: (type_identifier) @name @definition.constant)

; Methods are called by the first part of their selector.
(method_definition (method_type) . (identifier) @name) @definition.method
(method_definition . (identifier) @name) @definition.method
(method_declaration (method_type) . (identifier) @name) @definition.method
(method_declaration . (identifier) @name) @definition.method

; Properties and instance variables.
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (function_declarator
    declarator: (parenthesized_declarator (block_pointer_declarator declarator: (identifier) @name)))
]))) @definition.constant
(instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
]))) @definition.constant

; Bases.
(class_interface superclass: (identifier) @inherit)
(class_interface (parameterized_arguments (type_name (type_identifier) @implement)))
(protocol_declaration (protocol_reference_list (identifier) @inherit))

; Messages; one to a class that allocates is a construction.
(message_expression
  receiver: (identifier) @name
  method: (identifier) @_method
  (#any-of? @_method "alloc" "new")) @reference.construct
(message_expression receiver: (_) @receiver . method: (identifier) @name) @reference.call

(type_name (type_identifier) @name @reference.type)
(struct_declaration (type_identifier) @name @reference.type)
(generic_specifier (type_identifier) @name @reference.type)

(module_import path: (identifier) @source) @import
