[
  (element)
  (script_element)
  (style_element)
] @scope
