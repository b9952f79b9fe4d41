(function_definition name: (word) @name) @definition.function

; Variables of the script.
(program (variable_assignment name: (variable_name) @name) @definition.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.constant)

(command name: (command_name (word) @name)) @reference.call

(command
  name: (command_name (word) @_command)
  .
  argument: [(word) (string) (raw_string) (concatenation)] @source
  (#any-of? @_command "source" ".")) @import
