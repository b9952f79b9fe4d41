(section . (atx_heading heading_content: (inline) @name)) @section
(section . (setext_heading heading_content: (paragraph (inline) @name))) @section
(section . [(atx_heading) (setext_heading)]) @section
(html_block) @comment
