; Types.
(class_statement . (simple_name) @name) @definition.class
(enum_statement . (simple_name) @name) @definition.enum

; Functions.
(function_statement (function_name) @name) @definition.function
(class_method_definition (simple_name) @name) @definition.method

; Properties, enum values, variables of the script.
(class_property_definition (variable) @name) @definition.constant
(enum_member (simple_name) @name) @definition.constant
(program (statement_list (pipeline (assignment_expression (left_assignment_expression) @name) @definition.constant)))

(class_statement (simple_name) (simple_name) @inherit)

; Construction, then calls.
(invokation_expression
  (type_literal (type_spec (type_name) @name))
  (member_name (simple_name) @_member)
  (#eq? @_member "new")) @reference.construct
(command
  command_name: (command_name) @_command
  command_elements: (command_elements . (command_argument_sep) . (generic_token) @name)
  (#any-of? @_command "New-Object" "new-object")) @reference.construct
(invokation_expression (_) @receiver . (member_name (simple_name) @name)) @reference.call
(command command_name: (command_name) @name) @reference.call

(type_literal (type_spec [
  (type_name) @name
  (array_type_name (type_name) @name)
])) @reference.type

; Imports: `using module`, Import-Module, a script that is dot-sourced.
(command
  command_name: (command_name) @_command
  command_elements: (command_elements (generic_token) @_kind (generic_token) @source)
  (#any-of? @_command "using" "Using")
  (#any-of? @_kind "module" "namespace" "assembly")) @import
(command
  command_name: (command_name) @_command
  command_elements: (command_elements [(generic_token) (array_literal_expression)] @source)
  (#any-of? @_command "Import-Module" "import-module" "ipmo")) @import
(command
  (command_invokation_operator) @_operator
  command_name: (command_name_expr) @source
  (#eq? @_operator ".")) @import
