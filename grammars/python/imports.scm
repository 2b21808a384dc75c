; `import a.b`
(import_statement
  name: (dotted_name) @import.path) @import

; `import a.b as c`
(import_statement
  name: (aliased_import
    name: (dotted_name) @import.path
    alias: (identifier) @import.name)) @import

; `from a import b`
(import_from_statement
  module_name: (_) @import.path
  name: (dotted_name) @import.name) @import

; `from a import b as c`
(import_from_statement
  module_name: (_) @import.path
  name: (aliased_import
    name: (dotted_name) @import.original
    alias: (identifier) @import.name)) @import

; `from a import *`
(import_from_statement
  module_name: (_) @import.path
  (wildcard_import)) @import

(future_import_statement
  name: (dotted_name) @import.name) @import
