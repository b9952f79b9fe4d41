; A stage runs to the next one; without a name of its own it goes by its image.
(from_instruction as: (image_alias) @name) @section.open
(from_instruction !as (image_spec) @name) @section.open

(comment) @comment
