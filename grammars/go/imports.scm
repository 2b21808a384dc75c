; `import "a"`, `import b "a"`
(import_declaration
  (import_spec
    name: (package_identifier)? @import.name
    path: (interpreted_string_literal
      (interpreted_string_literal_content) @import.path))) @import

; `import ("a"; b "a")`
(import_spec_list
  (import_spec
    name: (package_identifier)? @import.name
    path: (interpreted_string_literal
      (interpreted_string_literal_content) @import.path)) @import)
