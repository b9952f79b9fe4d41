(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(macro_definition name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name) @definition.module
(source_file [
  (const_item name: (identifier) @name)
  (static_item name: (identifier) @name)
] @definition.constant)
(declaration_list [
  (const_item name: (identifier) @name)
  (static_item name: (identifier) @name)
] @definition.constant)
; Types that a macro is given: `pin_project! { struct Name { … } }`.
(source_file (macro_invocation (token_tree "struct" . (identifier) @name @definition.struct)))
(source_file (macro_invocation (token_tree "enum" . (identifier) @name @definition.enum)))
(source_file (macro_invocation (token_tree "trait" . (identifier) @name @definition.trait)))
(declaration_list (macro_invocation (token_tree "struct" . (identifier) @name @definition.struct)))
(declaration_list (macro_invocation (token_tree "enum" . (identifier) @name @definition.enum)))
(declaration_list (macro_invocation (token_tree "trait" . (identifier) @name @definition.trait)))
(enum_variant name: (identifier) @name) @definition.constant
(field_declaration name: (field_identifier) @name) @definition.constant

(impl_item trait: [(type_identifier) (scoped_type_identifier) (generic_type)] @implement)
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @inherit))

(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @name)) @reference.call
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @name)) @reference.call
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (generic_function function: [
  (identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)
  (field_expression value: (_) @receiver field: (field_identifier) @name)
])) @reference.call
(macro_invocation macro: [
  (identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)
]) @reference.call
(struct_expression name: (type_identifier) @name) @reference.construct
(struct_expression name: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @name)) @reference.construct
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @name) @reference.type
(type_identifier) @name @reference.type

(use_declaration argument: (scoped_identifier path: (_) @source name: (_) @import.name)) @import
(use_declaration argument: (identifier) @source) @import
(use_declaration argument: (use_as_clause
  path: (scoped_identifier path: (_) @source name: (_) @import.name)
  alias: (_) @import.alias)) @import
(use_declaration argument: (use_as_clause path: (identifier) @source alias: (_) @import.alias)) @import
(use_declaration argument: (use_wildcard (_) @source) @import.name) @import
(use_declaration argument: (use_list (scoped_identifier path: (_) @source name: (_) @import.name))) @import
(use_declaration argument: (use_list (identifier) @source)) @import
(use_declaration argument: (use_list (use_as_clause
  path: (scoped_identifier path: (_) @source name: (_) @import.name)
  alias: (_) @import.alias))) @import
(use_declaration argument: (use_list (use_as_clause path: (identifier) @source alias: (_) @import.alias))) @import
(use_declaration argument: (use_list (use_wildcard (_) @source) @import.name)) @import
; Lists in lists: what lies between their paths is left out later on.
(scoped_use_list path: (_) @source list: (use_list (scoped_use_list
  path: (_) @source
  list: (use_list (scoped_use_list
    path: (_) @source
    list: (use_list (use_wildcard (_) @source) @import.name)))))) @import
(scoped_use_list path: (_) @source list: (use_list (scoped_use_list
  path: (_) @source
  list: (use_list (scoped_use_list
    path: (_) @source
    list: (use_list [(identifier) (scoped_identifier) (use_wildcard) (self)] @import.name)))))) @import
(scoped_use_list path: (_) @source list: (use_list (scoped_use_list
  path: (_) @source
  list: (use_list (scoped_use_list
    path: (_) @source
    list: (use_list (use_as_clause path: (_) @import.name alias: (_) @import.alias))))))) @import
(scoped_use_list
  path: (_) @source
  list: (use_list (scoped_use_list
    path: (_) @source
    list: (use_list (use_wildcard (_) @source) @import.name)))) @import
(scoped_use_list
  path: (_) @source
  list: (use_list (scoped_use_list
    path: (_) @source
    list: (use_list [(identifier) (scoped_identifier) (use_wildcard) (self)] @import.name)))) @import
(scoped_use_list
  path: (_) @source
  list: (use_list (scoped_use_list
    path: (_) @source
    list: (use_list (use_as_clause path: (_) @import.name alias: (_) @import.alias))))) @import
(scoped_use_list path: (_) @source list: (use_list [(identifier) (scoped_identifier)] @import.name)) @import
(scoped_use_list path: (_) @source list: (use_list
  (use_as_clause path: (_) @import.name alias: (_) @import.alias))) @import
(scoped_use_list path: (_) @source list: (use_list (use_wildcard (_) @source) @import.name)) @import
(scoped_use_list path: (_) @source list: (use_list (use_wildcard) @import.name)) @import
(scoped_use_list path: (_) @source list: (use_list (self) @import.name)) @import
(extern_crate_declaration name: (identifier) @source) @import
(mod_item name: (identifier) @source !body) @import

; What macros are given; code that `quote!` makes runs elsewhere.
(macro_invocation macro: (_) @_macro (token_tree) @tokens (#not-match? @_macro "quote"))

; Functions and types that are handed on, kept or returned as values.
(arguments [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(field_initializer value: [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(array_expression [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(tuple_expression [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(let_declaration value: [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(assignment_expression right: [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(return_expression [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(static_item value: [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(const_item value: [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)]) @reference.value
(arguments (reference_expression value: [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)])) @reference.value
(array_expression (reference_expression value: [(identifier) @name
  (scoped_identifier path: (_) @receiver name: (identifier) @name)])) @reference.value
