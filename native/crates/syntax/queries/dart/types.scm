; Extensions: those without a name have only functions.
(extension_declaration name: (identifier) @binding class: (_) @binding.owner)
(extension_declaration
  !name
  class: (_) @binding.owner
  body: (extension_body (member_declaration (method_declaration
    signature: (method_signature (function_signature name: (identifier) @binding))))))
