; Blocks.
[
  (block)
  (keyframe_block_list)
] @scope

; Rules.
[
  (at_rule)
  (keyframe_block)
  (keyframes_statement)
  (media_statement)
  (rule_set)
  (supports_statement)
] @scope
