; Two levels of keys, those with more than a plain value.
(document
  (block_node
    (block_mapping
      (block_mapping_pair key: (flow_node) @name value: (block_node)) @section)))
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        value: (block_node
          (block_mapping
            (block_mapping_pair key: (flow_node) @name value: (block_node)) @section))))))

; Items of a list that say what they are called.
(block_sequence_item
  (block_node
    (block_mapping
      (block_mapping_pair key: (flow_node) @_key value: (flow_node) @name)))
  (#eq? @_key "name")) @section

(comment) @comment
