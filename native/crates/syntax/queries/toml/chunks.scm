(table [(bare_key) (quoted_key) (dotted_key)] @name) @section
(table_array_element [(bare_key) (quoted_key) (dotted_key)] @name) @section

(comment) @comment
