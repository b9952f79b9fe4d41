(function_def (function_command (argument_list . (argument) @name))) @definition.function
(macro_def (macro_command (argument_list . (argument) @name))) @definition.function

; Targets and projects; a name put together from variables names nothing.
(normal_command
  (identifier) @_command
  (argument_list . (argument) @name)
  (#any-of? @_command
    "project" "add_library" "add_executable" "add_custom_target"
    "PROJECT" "ADD_LIBRARY" "ADD_EXECUTABLE" "ADD_CUSTOM_TARGET")
  (#not-match? @name "\\$")) @definition.module

; Variables and options.
(source_file
  (normal_command
    (identifier) @_command
    (argument_list . (argument) @name)
    (#any-of? @_command "set" "option" "SET" "OPTION")
    (#not-match? @name "\\$")) @definition.constant)

(normal_command
  (identifier) @_command
  (argument_list . (argument) @source)
  (#any-of? @_command
    "include" "find_package" "add_subdirectory" "INCLUDE" "FIND_PACKAGE" "ADD_SUBDIRECTORY")) @import

; A target that uses others.
(normal_command
  (identifier) @_command
  (argument_list . (_) (argument) @name @reference.type)
  (#any-of? @_command
    "target_link_libraries" "add_dependencies" "TARGET_LINK_LIBRARIES" "ADD_DEPENDENCIES")
  (#not-any-of? @name "PUBLIC" "PRIVATE" "INTERFACE")
  (#not-match? @name "\\$"))

; Calls, without the most frequent commands of CMake itself.
(normal_command
  (identifier) @name
  (#not-any-of? @name
    "set" "option" "message" "list" "string" "file" "math" "return" "unset" "include" "project" "install"
    "find_package" "find_library" "find_program" "get_filename_component" "cmake_minimum_required" "cmake_policy"
    "cmake_parse_arguments" "mark_as_advanced" "configure_file" "execute_process" "include_directories"
    "add_subdirectory" "add_library" "add_executable" "add_custom_target" "add_custom_command" "add_definitions"
    "add_dependencies" "add_test" "add_compile_options" "enable_testing" "set_property" "set_target_properties"
    "get_property" "get_target_property" "target_link_libraries" "target_include_directories"
    "target_compile_definitions" "target_compile_options" "target_compile_features" "target_sources"
    "SET" "MESSAGE" "LIST" "STRING" "INCLUDE" "INSTALL" "FIND_PACKAGE" "ADD_LIBRARY" "ADD_EXECUTABLE"
    "TARGET_LINK_LIBRARIES" "SET_TARGET_PROPERTIES")) @reference.call
