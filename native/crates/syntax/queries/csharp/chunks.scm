(method_declaration body: (_)) @unit
(constructor_declaration body: (_)) @unit
(destructor_declaration body: (_)) @unit
(operator_declaration body: (_)) @unit
(conversion_operator_declaration body: (_)) @unit
(local_function_statement) @unit
(property_declaration value: (arrow_expression_clause)) @unit
(property_declaration accessors: (accessor_list (accessor_declaration body: (_)))) @unit
(indexer_declaration value: (arrow_expression_clause)) @unit
(indexer_declaration accessors: (accessor_list (accessor_declaration body: (_)))) @unit
(event_declaration accessors: (accessor_list (accessor_declaration body: (_)))) @unit

(namespace_declaration) @container
(class_declaration) @container
(interface_declaration) @container
(struct_declaration) @container
(record_declaration) @container
(enum_declaration) @unit

(global_statement (local_function_statement)) @wrapper

(comment) @comment
