[
  (block_mapping)
  (block_mapping_pair)
  (block_sequence)
  (block_sequence_item)
  (flow_mapping)
  (flow_sequence)
] @scope
