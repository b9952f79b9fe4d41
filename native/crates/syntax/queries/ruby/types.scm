; Values.
(assignment left: [(identifier) (instance_variable)] @binding right: [(call) (identifier)] @binding.value)
(operator_assignment left: [(identifier) (instance_variable)] @binding operator: "||=" right: (call) @binding.value)
