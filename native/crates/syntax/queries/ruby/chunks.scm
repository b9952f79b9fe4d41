(method) @unit
(singleton_method) @unit
(call !receiver method: (identifier) @_method block: (_) (#eq? @_method "define_method")) @unit
; Tests and tasks.
(call
  !receiver
  method: (identifier) @_method
  arguments: (argument_list . (string) @name)
  block: (_)
  (#any-of? @_method "it" "specify" "test")) @unit
(call
  !receiver
  method: (identifier) @_method
  block: (_)
  (#any-of? @_method "it" "specify" "setup" "teardown" "task")) @unit

(module) @container
(class) @container
(singleton_class) @container
(assignment left: (constant) right: (call block: (do_block))) @container
(call
  method: (identifier) @_method
  arguments: (argument_list . [(string) (constant) (scope_resolution)] @name)
  block: (do_block)
  (#any-of? @_method "describe" "context" "feature" "shared_examples" "shared_context")) @container
(call
  method: (identifier) @_method
  block: (do_block)
  (#any-of? @_method "describe" "context" "feature" "namespace" "shared_examples")) @container

(comment) @comment
