(package_statement name: (package) @name) @definition.module
(class_statement name: (package) @name) @definition.class

; Functions.
(subroutine_declaration_statement name: (_) @name) @definition.function
(method_declaration_statement name: (_) @name) @definition.method
(source_file
  (expression_statement
    (assignment_expression
      left: (variable_declaration variable: (scalar (varname) @name))
      right: (anonymous_subroutine_expression)) @definition.function))
(assignment_expression
  left: (glob (varname) @name)
  right: (anonymous_subroutine_expression)) @definition.function

; Variables of the file and constants.
(source_file
  (expression_statement
    (assignment_expression
      left: (variable_declaration variable: [
        (scalar (varname) @name)
        (array (varname) @name)
        (hash (varname) @name)
      ])) @definition.constant))
(use_statement
  module: (package) @_module
  (list_expression . (autoquoted_bareword) @name)
  (#eq? @_module "constant")) @definition.constant
(use_statement
  module: (package) @_module
  (anonymous_hash_expression (list_expression . (autoquoted_bareword) @name))
  (#eq? @_module "constant")) @definition.constant
(use_statement
  module: (package) @_module
  (anonymous_hash_expression (list_expression (list_expression (autoquoted_bareword) @name)))
  (#eq? @_module "constant")) @definition.constant

; Bases.
(use_statement
  module: (package) @_module
  [
    (string_literal content: (_) @inherit)
    (quoted_word_list content: (_) @inherit)
    (list_expression (string_literal content: (_) @inherit))
  ]
  (#any-of? @_module "parent" "base"))

; Construction, then calls.
(method_call_expression
  invocant: (bareword) @name
  method: (method) @_method
  (#eq? @_method "new")) @reference.construct
(method_call_expression invocant: (_) @receiver method: (method) @name) @reference.call
(function_call_expression function: (function) @name) @reference.call
(ambiguous_function_call_expression function: (function) @name) @reference.call

; Imports; pragmas import nothing.
(use_statement
  module: (package) @source
  (#not-any-of? @source
    "strict" "warnings" "utf8" "constant" "parent" "base" "lib" "feature" "vars" "integer" "bytes" "overload")) @import
(require_expression (bareword) @source) @import
(require_expression [
  (interpolated_string_literal content: (_) @source)
  (string_literal content: (_) @source)
]) @import

; Names that stand alone.
(bareword) @name @reference.bare
