; Tables and their columns.
(create_table (object_reference schema: (identifier)? @scope name: (identifier) @name)) @definition.struct
(create_table
  (column_definitions
    (column_definition name: (identifier) @name) @definition.constant))

; Views and types.
(create_view (object_reference schema: (identifier)? @scope name: (identifier) @name)) @definition.type
(create_materialized_view
  (object_reference schema: (identifier)? @scope name: (identifier) @name)) @definition.type
(create_type
  (object_reference schema: (identifier)? @scope name: (identifier) @name)
  (enum_elements)) @definition.enum
(create_type (object_reference schema: (identifier)? @scope name: (identifier) @name)) @definition.type

; Functions; a trigger is named before its table.
(create_function
  (keyword_function)
  .
  (object_reference schema: (identifier)? @scope name: (identifier) @name)) @definition.function
(create_trigger
  (keyword_trigger)
  .
  (object_reference schema: (identifier)? @scope name: (identifier) @name)) @definition.function

; Everything else that has a name.
(create_schema (identifier) @name) @definition.module
(create_index column: (identifier) @name) @definition.constant
(create_sequence (object_reference schema: (identifier)? @scope name: (identifier) @name)) @definition.constant

; Calls.
(invocation (object_reference schema: (identifier)? @receiver name: (identifier) @name)) @reference.call
(create_trigger
  [(keyword_function) (keyword_procedure)]
  .
  (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.call)

; Tables and types in use.
(relation (object_reference schema: (identifier)? @receiver name: (identifier) @name)) @reference.type
(from (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)
(insert (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)
(alter_table (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)
(create_index (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)
(create_trigger
  (keyword_on)
  .
  (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)
(column_definition
  (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)
(constraint (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)
(function_argument
  custom_type: (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)
(create_function
  custom_type: (object_reference schema: (identifier)? @receiver name: (identifier) @name) @reference.type)

(create_extension (identifier) @source) @import
