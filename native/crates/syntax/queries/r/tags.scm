; Classes.
(binary_operator
  lhs: (identifier) @name
  rhs: (call function: [
    (identifier) @_class
    (namespace_operator rhs: (identifier) @_class)
  ])
  (#any-of? @_class "R6Class" "setRefClass")) @definition.class
(call
  function: (identifier) @_function
  arguments: (arguments . (argument value: (string content: (string_content) @name)))
  (#any-of? @_function "setClass" "setRefClass" "setClassUnion")) @definition.class

; Functions; a method of S4 belongs to the class of its second argument.
(binary_operator
  lhs: [
    (identifier) @name
    (string content: (string_content) @name)
  ]
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition)) @definition.function
(call
  function: (identifier) @_function
  arguments: (arguments
    .
    (argument value: (string content: (string_content) @name))
    .
    (comma)
    .
    (argument value: (string content: (string_content) @scope)))
  (#any-of? @_function "setMethod" "setReplaceMethod")) @definition.method
(call
  function: (identifier) @_function
  arguments: (arguments . (argument value: (string content: (string_content) @name)))
  (#any-of? @_function "setGeneric" "setMethod")) @definition.function
(argument
  name: (identifier) @_members
  value: (call
    arguments: (arguments (argument name: (identifier) @name value: (function_definition)) @definition.method))
  (#any-of? @_members "public" "private" "active" "methods"))

; Variables of the script.
(program (binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"]) @definition.constant)

; Bases.
(argument name: (identifier) @_argument value: (identifier) @inherit (#eq? @_argument "inherit"))
(argument
  name: (identifier) @_argument
  value: (string content: (string_content) @inherit)
  (#eq? @_argument "contains"))

; Construction of R6 objects, then calls.
(call
  function: (extract_operator lhs: (identifier) @name rhs: (identifier) @_method)
  (#eq? @_method "new")) @reference.construct
(call function: (identifier) @name) @reference.call
(call function: (namespace_operator lhs: (identifier) @receiver rhs: (identifier) @name)) @reference.call
(call function: (extract_operator lhs: (_) @receiver rhs: (identifier) @name)) @reference.call

(call
  function: (identifier) @_function
  arguments: (arguments . (argument value: [(identifier) (string)] @source))
  (#any-of? @_function "library" "require" "requireNamespace" "loadNamespace" "source")) @import
