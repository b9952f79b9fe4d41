(variable_assignment !target_or_pattern name: (word) @name) @definition.constant
(shell_assignment name: (word) @name) @definition.constant
(define_directive name: (word) @name) @definition.function

; A target calls what it is made from.
(rule
  (targets . (_) @_target)
  normal: (prerequisites (word) @name @reference.call)
  (#not-match? @_target "^\\.[A-Z]"))
(rule order_only: (prerequisites (word) @name @reference.call))

(include_directive filenames: (list (_) @source @import))
