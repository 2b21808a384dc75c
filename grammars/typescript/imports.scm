; `import b = require("a")`
(import_statement
  (import_require_clause
    (identifier) @import.name
    source: (string
      (string_fragment) @import.path))) @import
