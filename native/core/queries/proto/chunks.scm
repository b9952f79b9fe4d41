; A nested message or a method is a chunk of its own only when what holds it is oversized.
(message) @unit
(enum) @unit
(extend) @unit
(service) @unit
(rpc) @unit

(comment) @comment
