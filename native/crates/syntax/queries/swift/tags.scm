; Types.
(class_declaration declaration_kind: "class" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(protocol_declaration name: (type_identifier) @name) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

; Functions; those of a protocol have no body.
(function_declaration
  name: [
    (simple_identifier) (custom_operator)
    "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "!" "~" "===" "+=" "-=" "*=" "/="
  ] @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration name: "init" @name) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method

; Properties, variables, cases.
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(enum_class_body
  (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant
(enum_entry name: (simple_identifier) @name) @definition.constant

; Bases. A class names its superclass and its protocols alike.
(class_declaration
  declaration_kind: "class"
  (inheritance_specifier inherits_from: (user_type (type_identifier) @inherit)))
(protocol_declaration (inheritance_specifier inherits_from: (user_type (type_identifier) @inherit)))
(class_declaration
  declaration_kind: ["actor" "enum" "extension" "struct"]
  (inheritance_specifier inherits_from: (user_type (type_identifier) @implement)))

; Calls. A subscript is the same node with brackets.
(call_expression (simple_identifier) @name (call_suffix (value_arguments "("))) @reference.call
(call_expression (simple_identifier) @name (call_suffix (lambda_literal))) @reference.call
(call_expression
  (navigation_expression target: (_) @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))
  (call_suffix (value_arguments "("))) @reference.call
(call_expression
  (navigation_expression target: (_) @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))
  (call_suffix (lambda_literal))) @reference.call

(user_type (type_identifier) @name) @reference.type

(import_declaration (identifier) @source) @import
