; A heading names its section, with all that stands below it.
(section
  .
  (atx_heading
    heading_content: (inline) @name)) @definition.heading

(section
  .
  (setext_heading
    heading_content: (_) @name)) @definition.heading
