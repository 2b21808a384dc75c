[
  (block_quote)
  (fenced_code_block)
  (list)
  (pipe_table)
  (section)
] @scope
