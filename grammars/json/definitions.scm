(pair
  key: (string
    (string_content) @name)
  value: (_) @body) @definition.key
