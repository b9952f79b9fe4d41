; Types and services.
(message (message_name) @name) @definition.struct
(enum (enum_name) @name) @definition.enum
(service (service_name) @name) @definition.interface
(rpc (rpc_name) @name) @definition.method

; Fields and values.
(field (type) (identifier) @name) @definition.constant
(map_field (identifier) @name) @definition.constant
(oneof_field (identifier) @name) @definition.constant
(enum_field (identifier) @name) @definition.constant

; Types in use.
(message_or_enum_type (identifier) @name .) @reference.type
(extend (full_ident (identifier) @name .)) @reference.type

(import path: (string) @source) @import
