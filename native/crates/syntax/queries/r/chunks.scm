(binary_operator operator: ["<-" "=" "<<-"] rhs: (function_definition)) @unit
(call
  function: (identifier) @_function
  arguments: (arguments (argument value: (function_definition)))
  (#any-of? @_function "setMethod" "setGeneric" "setValidity" "setReplaceMethod")) @unit
; Blocks of tests.
(call
  function: (identifier) @_function
  arguments: (arguments . (argument value: (string) @name) (argument value: (braced_expression)))
  (#any-of? @_function "test_that" "it")) @unit
(call
  function: (identifier) @_function
  arguments: (arguments . (argument value: (string) @name) (argument value: (braced_expression)))
  (#eq? @_function "describe")) @container

; A class of R6 or of reference classes: its methods are arguments of `list`.
(binary_operator
  rhs: (call function: [
    (identifier) @_class
    (namespace_operator rhs: (identifier) @_class)
  ])
  (#any-of? @_class "R6Class" "setRefClass")) @container
(argument
  name: (identifier) @_members
  value: (call arguments: (arguments (argument name: (identifier) value: (function_definition)) @unit))
  (#any-of? @_members "public" "private" "active" "methods"))

(comment) @comment
