; Added to what C has.
[
  (concept_definition)
  (declaration_list)
  (namespace_definition)
  (template_declaration)
] @scope
