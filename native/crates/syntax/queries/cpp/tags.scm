; Tests are macros that look like functions without a type: TEST(Suite, Name), TEST_CASE(Name).
(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      .
      (parameter_declaration type: (type_identifier) @scope !declarator)
      .
      (parameter_declaration type: (type_identifier) @name !declarator)
      .))
  (#match? @_macro "^[A-Z][A-Z0-9_]+$")) @definition.function
(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator) .))
  (#match? @_macro "^[A-Z][A-Z0-9_]+$")) @definition.function

; Functions: the declarator nests by the pointers and references of the result.
(function_definition
  declarator: [
    (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (destructor_name)] @name)
    (function_declarator declarator: (template_function name: (identifier) @name))
    (pointer_declarator
      declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
    (pointer_declarator
      declarator: (pointer_declarator
        declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)))
    (reference_declarator
      (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
    (operator_cast "operator" @name)
  ]) @definition.function

; Functions written outside of their class: the scope is the class, the name may bring a further one.
(function_definition
  declarator: [
    (function_declarator
      declarator: (qualified_identifier
        scope: (_) @scope
        name: [
          (identifier) @name
          (operator_name) @name
          (destructor_name) @name
          (qualified_identifier) @name
          (template_function name: (identifier) @name)
        ]))
    (pointer_declarator
      declarator: (function_declarator
        declarator: (qualified_identifier
          scope: (_) @scope
          name: [(identifier) (operator_name) (qualified_identifier)] @name)))
    (reference_declarator
      (function_declarator
        declarator: (qualified_identifier
          scope: (_) @scope
          name: [(identifier) (operator_name) (qualified_identifier)] @name)))
    (qualified_identifier scope: (_) @scope name: (operator_cast "operator" @name))
  ]) @definition.method

; Prototypes: the raw kinds `declaration` and `field_declaration` tell them from definitions. Inside of functions they
; would be variables: `Node node(other);`.
(translation_unit (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(declaration_list (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(preproc_ifdef (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(preproc_if (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(preproc_else (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(preproc_elif (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(template_declaration (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(field_declaration_list (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(friend_declaration (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  ]) @definition.function

; Members of `class EXPORT_MACRO Name {`, which is read as a function: a constructor is read as a call.
(function_definition
  type: [(class_specifier) (struct_specifier)]
  declarator: (identifier)
  body: (compound_statement [
    (expression_statement (call_expression function: (identifier) @name)) @definition.function
    (labeled_statement
      (expression_statement (call_expression function: (identifier) @name)) @definition.function)
  ]))
(function_definition
  type: [(class_specifier) (struct_specifier)]
  declarator: (identifier)
  body: (compound_statement [
    (declaration declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
      (reference_declarator (function_declarator declarator: (identifier) @name))
      (init_declarator declarator: [
        (function_declarator declarator: (identifier) @name)
        (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
        (reference_declarator (function_declarator declarator: (identifier) @name))
      ])
    ]) @definition.function
    (labeled_statement (declaration declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
      (reference_declarator (function_declarator declarator: (identifier) @name))
      (init_declarator declarator: [
        (function_declarator declarator: (identifier) @name)
        (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
        (reference_declarator (function_declarator declarator: (identifier) @name))
      ])
    ]) @definition.function)
  ]))

(preproc_function_def name: (identifier) @name) @definition.function
(preproc_def name: (identifier) @name value: (_)) @definition.constant

; Modules and types: a tag with a body defines; without one it only names.
(namespace_definition name: (_) @name) @definition.module
(class_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @scope name: (type_identifier) @name)
  ]
  body: (_)) @definition.class
(struct_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @scope name: (type_identifier) @name)
  ]
  body: (_)) @definition.struct
; `class EXPORT_MACRO Name {` is read as a function without parameters.
(function_definition type: (class_specifier) declarator: (identifier) @name) @definition.class
(function_definition type: (struct_specifier) declarator: (identifier) @name) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(concept_definition name: (identifier) @name) @definition.trait
(alias_declaration name: (type_identifier) @name) @definition.type
(namespace_alias_definition name: (_) @name) @definition.type

; A typedef of an unnamed body names that body; every other typedef is an alias.
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.enum
(type_definition type: (struct_specifier name: (_) body: (_)) declarator: (type_identifier) @name @definition.type)
(type_definition type: (union_specifier name: (_) body: (_)) declarator: (type_identifier) @name @definition.type)
(type_definition type: (enum_specifier name: (_) body: (_)) declarator: (type_identifier) @name @definition.type)
(type_definition
  type: [
    (type_identifier)
    (primitive_type)
    (sized_type_specifier)
    (template_type)
    (qualified_identifier)
    (dependent_type)
    (decltype)
    (class_specifier !body)
    (struct_specifier !body)
    (union_specifier !body)
    (enum_specifier !body)
  ]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type

; Fields and variables.
(field_declaration
  declarator: [
    (field_identifier) @name
    (array_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
    (reference_declarator (field_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
    (pointer_declarator
      declarator: (function_declarator
        declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name))))
  ]) @definition.constant
(declaration
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (init_declarator
      declarator: [
        (identifier) @name
        (array_declarator declarator: (identifier) @name)
        (array_declarator declarator: (array_declarator declarator: (identifier) @name))
        (pointer_declarator declarator: (identifier) @name)
        (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
        (reference_declarator (identifier) @name)
        (qualified_identifier scope: (_) @scope name: (identifier) @name)
      ])
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
  ]) @definition.constant

; Bases.
(function_definition
  type: [(class_specifier) (struct_specifier)]
  declarator: (identifier)
  (ERROR (identifier) @inherit)
  (#not-eq? @inherit "final"))
(base_class_clause (type_identifier) @inherit)
(base_class_clause (template_type name: (type_identifier) @inherit))
(base_class_clause (qualified_identifier name: (type_identifier)) @inherit)
(base_class_clause (qualified_identifier name: (template_type name: (type_identifier) @inherit)))

; Calls: of a name, of a member, of a name in a scope, each with or without template arguments.
(call_expression
  function: [
    (identifier) @name
    (template_function name: (identifier) @name)
  ]) @reference.call
(call_expression
  function: (field_expression
    argument: (_) @receiver
    field: [
      (field_identifier) @name
      (template_method name: (field_identifier) @name)
      (dependent_name (template_method name: (field_identifier) @name))
    ])) @reference.call
(call_expression
  function: (qualified_identifier
    scope: (_) @receiver
    name: [
      (identifier) @name
      (template_function name: (identifier) @name)
    ])) @reference.call
; The receiver of a name in several scopes is all of it but the name.
(call_expression
  function: (qualified_identifier
    name: (qualified_identifier
      name: [
        (identifier) @name
        (template_function name: (identifier) @name)
      ])) @receiver) @reference.call
(call_expression
  function: (qualified_identifier
    name: (qualified_identifier
      name: (qualified_identifier
        name: [
          (identifier) @name
          (template_function name: (identifier) @name)
        ]))) @receiver) @reference.call
(call_expression
  function: (qualified_identifier
    name: (qualified_identifier
      name: (qualified_identifier
        name: (qualified_identifier
          name: [
            (identifier) @name
            (template_function name: (identifier) @name)
          ])))) @receiver) @reference.call
; `::name()` is a name of the global namespace.
(call_expression
  function: (qualified_identifier
    !scope
    "::" @receiver
    name: [
      (identifier) @name
      (template_function name: (identifier) @name)
    ])) @reference.call

; Construction.
(new_expression
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)
    (qualified_identifier scope: (_) @receiver name: (template_type name: (type_identifier) @name))
  ]) @reference.construct
(compound_literal_expression
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)
  ]) @reference.construct

; Calls that stand between the brackets of a declaration, `Buffer target(source, bound(size));`, which reads as that of a
; function whose parameters are functions.
(parameter_declaration
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @receiver name: (type_identifier) @name)
    (qualified_identifier scope: (_) @receiver name: (template_type name: (type_identifier) @name))
  ]
  declarator: (abstract_function_declarator !declarator)) @reference.call

; Types in use.
(class_specifier name: (type_identifier) @name !body) @reference.type
(struct_specifier name: (type_identifier) @name !body) @reference.type
(union_specifier name: (type_identifier) @name !body) @reference.type
(enum_specifier name: (type_identifier) @name !body) @reference.type
(declaration type: (type_identifier) @name @reference.type)
(parameter_declaration type: (type_identifier) @name @reference.type)
(optional_parameter_declaration type: (type_identifier) @name @reference.type)
(field_declaration type: (type_identifier) @name @reference.type)
(function_definition type: (type_identifier) @name @reference.type)
(type_definition type: (type_identifier) @name @reference.type)
(type_descriptor type: (type_identifier) @name @reference.type)
(for_range_loop type: (type_identifier) @name @reference.type)
(template_type name: (type_identifier) @name @reference.type)
(qualified_identifier scope: (_) @receiver name: (type_identifier) @name) @reference.type

(preproc_include path: (system_lib_string) @source) @import
(preproc_include path: (string_literal (string_content) @source)) @import
(using_declaration [(identifier) (qualified_identifier)] @source) @import

; Functions and types that are handed on, kept or returned as values.
(argument_list [(identifier) @name]) @reference.value
(argument_list (pointer_expression argument: [(identifier) @name])) @reference.value
(initializer_list [(identifier) @name]) @reference.value
(initializer_pair value: [(identifier) @name]) @reference.value
(init_declarator value: [(identifier) @name]) @reference.value
(init_declarator value: (pointer_expression argument: [(identifier) @name])) @reference.value
(assignment_expression right: [(identifier) @name]) @reference.value
(assignment_expression right: (pointer_expression argument: [(identifier) @name])) @reference.value
(return_statement [(identifier) @name]) @reference.value
