; Modules and types.
(module name: [
  (constant) @name
  (scope_resolution scope: (_) @scope name: (constant) @name)
]) @definition.module
(class name: [
  (constant) @name
  (scope_resolution scope: (_) @scope name: (constant) @name)
]) @definition.class

; Functions; those of modules are methods too.
(module body: (body_statement [
  (method name: (_) @name)
  (singleton_method object: (self) name: (_) @name)
] @definition.method))
(method name: (_) @name) @definition.function
(singleton_method object: (self) name: (_) @name) @definition.function
(singleton_method object: [(constant) (scope_resolution) (identifier)] @scope name: (_) @name) @definition.method
(alias name: (_) @name) @definition.function
(call
  !receiver
  method: (identifier) @_method
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_method "define_method" "alias_method")) @definition.function

; Constants and attributes.
(assignment left: (constant) @name) @definition.constant
(call
  !receiver
  method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_method "attr_reader" "attr_writer" "attr_accessor")) @definition.constant

; Bases; a module that is mixed in counts as implemented.
(superclass [(constant) (scope_resolution)] @inherit)
(body_statement
  (call
    !receiver
    method: (identifier) @_method
    arguments: (argument_list [(constant) (scope_resolution)] @implement)
    (#any-of? @_method "include" "prepend" "extend")))

; Members that are assigned.
[
  (assignment left: (call receiver: (_) @receiver method: (identifier) @name))
  (operator_assignment left: (call receiver: (_) @receiver method: (identifier) @name))
  (left_assignment_list (call receiver: (_) @receiver method: (identifier) @name))
  (destructured_left_assignment (call receiver: (_) @receiver method: (identifier) @name))
  (rest_assignment (call receiver: (_) @receiver method: (identifier) @name))
  (exception_variable (call receiver: (_) @receiver method: (identifier) @name))
  (for pattern: (call receiver: (_) @receiver method: (identifier) @name))
] @reference.write

; Calls.
(call !receiver method: (identifier) @name) @reference.call
(call receiver: (_) @receiver method: [(identifier) (constant)] @name) @reference.call
(call
  receiver: [
    (constant) @name
    (scope_resolution name: (constant) @name)
  ]
  method: (identifier) @_method
  (#eq? @_method "new")) @reference.construct

; Types in use.
(call receiver: (constant) @name @reference.type)
(call receiver: (scope_resolution scope: (_) @receiver name: (constant) @name) @reference.type)
(exceptions (constant) @name @reference.type)
(exceptions (scope_resolution scope: (_) @receiver name: (constant) @name) @reference.type)

(call
  !receiver
  method: (identifier) @_method
  arguments: (argument_list (string (string_content) @source))
  (#any-of? @_method "require" "require_relative" "load" "autoload")) @import

; Names that stand alone, and symbols that may name a method: of callbacks, of `method` and `send`, of `map(&:name)`.
(alias alias: (identifier) @name) @reference.symbol
(identifier) @name @reference.bare
(pair key: (hash_key_symbol) @name !value) @reference.bare
(argument_list (simple_symbol) @name) @reference.symbol
(argument_list (array (simple_symbol) @name)) @reference.symbol
(argument_list (pair value: [(simple_symbol) @name (array (simple_symbol) @name)])) @reference.symbol
(block_argument (simple_symbol) @name) @reference.symbol
