; A nested message or a method is a chunk of its own only when what holds it is oversized.
(message) @unit
(enum) @unit
(service) @unit
(rpc) @unit

; What is added to a message belongs to it.
(extend (full_ident) @scope) @container

(comment) @comment
