; `use a;`
(use_declaration
  argument: (identifier) @import.name) @import

; `use a::b;`
(use_declaration
  argument: (scoped_identifier
    path: (_) @import.path
    name: (identifier) @import.name)) @import

; `use a::b as c;`
(use_declaration
  argument: (use_as_clause
    path: (_) @import.path
    alias: (identifier) @import.name)) @import

; `use a::*;`
(use_declaration
  argument: (use_wildcard
    (_) @import.path)) @import

; `use a::{b, c::d, e as f, g::*};`
(use_declaration
  argument: (scoped_use_list
    path: (_) @import.path
    list: (use_list
      [
        (identifier) @import.name
        (self) @import.name
        (scoped_identifier
          path: (_) @import.path
          name: (identifier) @import.name)
        (use_as_clause
          path: (_) @import.original
          alias: (identifier) @import.name)
        (use_wildcard
          (_) @import.path)
      ]))) @import

; `use a::{b::{c, d as e}};`
(use_declaration
  argument: (scoped_use_list
    path: (_)? @import.path
    list: (use_list
      (scoped_use_list
        path: (_) @import.path
        list: (use_list
          [
            (identifier) @import.name
            (self) @import.name
            (scoped_identifier
              path: (_) @import.path
              name: (identifier) @import.name)
            (use_as_clause
              path: (_) @import.original
              alias: (identifier) @import.name)
            (use_wildcard
              (_) @import.path)
          ]))))) @import

(extern_crate_declaration
  name: (identifier) @import.path
  !alias) @import

(extern_crate_declaration
  name: (identifier) @import.path
  alias: (identifier) @import.name) @import
