(subroutine_declaration_statement) @unit
(method_declaration_statement) @unit
(source_file
  (expression_statement (assignment_expression right: (anonymous_subroutine_expression))) @unit)
(assignment_expression left: (glob) right: (anonymous_subroutine_expression)) @unit
(phaser_statement phase: ["BEGIN" "END" "INIT" "CHECK" "UNITCHECK"] @name) @unit

(package_statement (block)) @container
(class_statement (block)) @container

[(comment) (pod)] @comment
