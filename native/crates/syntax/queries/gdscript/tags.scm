; Classes; one that extends a script imports it.
(source (class_name_statement name: (name) @name)) @definition.class
(class_definition name: (name) @name) @definition.class
(extends_statement (type) @inherit)
(extends_statement (string) @source) @import

; Functions.
(function_definition name: (name) @name) @definition.function
(constructor_definition "_init" @name) @definition.function

; Enums, signals, constants and variables of a class.
(enum_definition name: (name) @name) @definition.enum
(enumerator left: (identifier) @name) @definition.constant
(signal_statement name: (name) @name) @definition.constant
(source (const_statement name: (name) @name) @definition.constant)
(class_body (const_statement name: (name) @name) @definition.constant)
(source (variable_statement name: (name) @name) @definition.constant)
(class_body (variable_statement name: (name) @name) @definition.constant)
(export_variable_statement name: (name) @name) @definition.constant
(onready_variable_statement name: (name) @name) @definition.constant

; Scripts and scenes that are loaded.
(const_statement
  name: (name) @import.alias
  value: (call
    (identifier) @_function
    (arguments (string) @source)
    (#any-of? @_function "preload" "load")) @import)
(call
  (identifier) @_function
  (arguments (string) @source)
  (#any-of? @_function "preload" "load")) @import

; Construction and calls.
(attribute
  (identifier) @name
  .
  (attribute_call (identifier) @_method)
  (#eq? @_method "new")) @reference.construct
(attribute
  (_) @receiver
  .
  (attribute_call (identifier) @name)
  (#not-eq? @name "new")) @reference.call
(call
  (identifier) @name
  (#not-any-of? @name "load" "preload" "super")) @reference.call
(base_call (identifier) @name) @reference.call

; Types in use.
(type
  (identifier) @name
  (#not-any-of? @name "bool" "float" "int" "void" "Array" "Dictionary" "String" "Variant")) @reference.type
(type
  (subscript
    (identifier) @_type
    (subscript_arguments (identifier) @name)
    (#any-of? @_type "Array" "Dictionary"))) @reference.type
