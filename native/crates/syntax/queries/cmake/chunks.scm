(function_def) @unit
(macro_def) @unit

; Blocks of commands, and commands that define a target.
(source_file (if_condition (if_command (argument_list) @name)) @unit)
(source_file (foreach_loop (foreach_command (argument_list) @name)) @unit)
(normal_command
  (identifier) @_command
  (#any-of? @_command
    "add_library" "add_executable" "add_custom_target" "ADD_LIBRARY" "ADD_EXECUTABLE" "ADD_CUSTOM_TARGET")) @unit

(line_comment) @comment
(bracket_comment) @comment
