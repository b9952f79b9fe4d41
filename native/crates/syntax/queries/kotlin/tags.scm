; Types: an enum class is a class with an enum body, so it stands first.
(class_declaration name: (identifier) @name (enum_class_body)) @definition.enum
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration "class" name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(companion_object name: (identifier) @name) @definition.class
(type_alias type: (identifier) @name) @definition.type

; Functions: an extension belongs to the type before the dot.
(function_declaration (user_type (identifier) @scope) "." name: (identifier) @name) @definition.method
(function_declaration (nullable_type (user_type (identifier) @scope)) "." name: (identifier) @name) @definition.method
(function_declaration name: (identifier) @name) @definition.function
(secondary_constructor "constructor" @name) @definition.method

; Properties, those of a primary constructor too, and enum entries.
(source_file
  (property_declaration (user_type (identifier) @scope) "." (variable_declaration (identifier) @name))
  @definition.constant)
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.constant)
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.constant)
(enum_class_body (property_declaration (variable_declaration (identifier) @name)) @definition.constant)
(class_parameter "val" . (identifier) @name) @definition.constant
(class_parameter "var" . (identifier) @name) @definition.constant
(enum_entry (identifier) @name) @definition.constant

; Bases: a class is extended by calling its constructor.
(delegation_specifier (constructor_invocation (user_type (identifier) @inherit)))
(delegation_specifier (explicit_delegation (user_type (identifier) @implement)))
(class_declaration "class" (delegation_specifiers (delegation_specifier (user_type (identifier) @implement))))
(object_declaration (delegation_specifiers (delegation_specifier (user_type (identifier) @implement))))
(companion_object (delegation_specifiers (delegation_specifier (user_type (identifier) @implement))))
(class_declaration "interface" (delegation_specifiers (delegation_specifier (user_type (identifier) @inherit))))

; Calls; a construction looks like one.
(call_expression (identifier) @name) @reference.call
(call_expression (navigation_expression (_) @receiver (identifier) @name)) @reference.call
(infix_expression . (_) @receiver . (identifier) @name) @reference.call
(callable_reference "::" (identifier) @name) @reference.call

(user_type (identifier) @name) @reference.type

; Imports: the path is a row of identifiers; its last one is the name unless all are imported.
(import (qualified_identifier) @source "*" @import.name) @import
(import
  (qualified_identifier . (identifier) @source (identifier) @source . (identifier) @import.name .)
  (identifier)? @import.alias
  (#not-match? @import "[*]$")) @import
(import
  (qualified_identifier . (identifier) @source . (identifier) @import.name .)
  (identifier)? @import.alias
  (#not-match? @import "[*]$")) @import
