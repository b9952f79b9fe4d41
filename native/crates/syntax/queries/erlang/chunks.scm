(fun_decl) @unit.clause
(record_decl) @unit
(pp_define lhs: (macro_lhs args: (_))) @unit

(spec) @attribute

(comment) @comment
