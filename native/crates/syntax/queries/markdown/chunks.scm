(section . (atx_heading heading_content: (inline) @name)) @section
(section . (atx_heading)) @section
; The grammar makes no section of these.
(setext_heading heading_content: (paragraph (inline) @name)) @section.open
(html_block) @comment
