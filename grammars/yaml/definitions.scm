(block_mapping_pair
  key: (_) @name
  value: (_)? @body) @definition.key

(flow_pair
  key: (_) @name
  value: (_)? @body) @definition.key
