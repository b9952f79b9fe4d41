(arg_pair name: (unquoted_string) @name) @definition.constant
(env_pair name: (unquoted_string) @name) @definition.constant

(from_instruction (image_spec name: (image_name) @source) as: (image_alias) @import.alias) @import
(from_instruction (image_spec name: (image_name) @source)) @import
