; A heading names its section, with all that stands below it.
(section
  .
  (atx_heading
    heading_content: (inline) @name)) @definition.heading

; An underlined heading opens no section in this grammar.
(setext_heading
  heading_content: (_) @name) @definition.heading
