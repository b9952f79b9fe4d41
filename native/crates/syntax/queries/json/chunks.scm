; Two levels of keys, those with more than a plain value.
(document
  (object
    (pair key: (string (string_content) @name) value: [(object) (array)]) @section))
(document
  (object
    (pair value: (object (pair key: (string (string_content) @name) value: [(object) (array)]) @section))))

(comment) @comment
