(rule_set
  (selectors) @name
  (block) @body) @definition.rule

(media_statement
  .
  (_) @name
  (block) @body) @definition.rule

(supports_statement
  .
  (_) @name
  (block) @body) @definition.rule

(at_rule
  (at_keyword) @name
  (block) @body) @definition.rule

(keyframes_statement
  (keyframes_name) @name
  (keyframe_block_list) @body) @definition.rule

; A custom property is a variable.
(declaration
  (property_name) @name
  (#match? @name "^--")) @definition.variable
