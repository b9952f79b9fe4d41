; Classes and functions.
(class_definition name: (identifier) @name) @definition.class
(superclasses (property_name) @inherit)
(function_definition name: (identifier) @name) @definition.function
(function_definition name: (property_name (identifier) @name .)) @definition.function
(function_signature name: (identifier) @name) @definition.function

; Members of a class.
(properties (property name: (identifier) @name) @definition.constant)
(enum (identifier) @name) @definition.constant
(events (identifier) @name @definition.constant)

(command
  (command_name) @_command
  (command_argument) @source
  (#eq? @_command "import")) @import

; Calls; an indexed variable looks the same.
(field_expression
  object: (_) @receiver
  field: (function_call name: (identifier) @name)) @reference.call
(function_call name: (identifier) @name) @reference.call
(handle_operator (identifier) @name) @reference.call
(command
  (command_name) @name
  (#not-eq? @name "import")) @reference.call
