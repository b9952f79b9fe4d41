(module_attribute name: (atom) @name) @definition.module

; Functions: one node for each clause; the number of arguments is a part of the name. Callbacks are only stated.
(fun_decl clause: (function_clause name: (atom) @name args: (expr_args)? @arguments)) @definition.function
(callback fun: (atom) @name) @definition.function
(pp_define lhs: (macro_lhs name: (_) @name args: (_))) @definition.function

; Records, types, macros without arguments.
(record_decl name: (atom) @name) @definition.struct
(record_decl fields: (record_field name: (atom) @name) @definition.constant)
(type_alias name: (type_name name: (atom) @name)) @definition.type
(opaque name: (type_name name: (atom) @name)) @definition.type
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.constant

(behaviour_attribute name: (atom) @implement)

; Types in use look like calls.
(type_sig ty: (call expr: (atom) @name) @reference.type)
(type_sig args: (expr_args args: (call expr: (atom) @name) @reference.type))
(field_type expr: (call expr: (atom) @name) @reference.type)
(type_alias ty: (call expr: (atom) @name) @reference.type)
(type_alias ty: (pipe lhs: (call expr: (atom) @name) @reference.type))
(type_alias ty: (pipe rhs: (call expr: (atom) @name) @reference.type))

; Calls, of another module's functions first.
(remote module: (remote_module module: (_) @receiver) fun: (call expr: (atom) @name)) @reference.call
(call expr: (atom) @name) @reference.call
(internal_fun fun: (atom) @name) @reference.call
(external_fun module: (module name: (_) @receiver) fun: (atom) @name) @reference.call
(macro_call_expr name: (var) @name args: (_)) @reference.call

(record_expr name: (record_name name: (atom) @name)) @reference.construct
(record_update_expr name: (record_name name: (atom) @name)) @reference.construct

(pp_include file: (string) @source) @import
(pp_include_lib file: (string) @source) @import
(import_attribute module: (atom) @source funs: (fa fun: (atom) @import.name)) @import
