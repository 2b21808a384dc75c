; TypeScript and TSX inherit this file, so it names only nodes that their parsers have too.

; `import "a"`
(import_statement
  "import"
  .
  source: (string
    (string_fragment) @import.path)) @import

; `import b from "a"`
(import_statement
  (import_clause
    (identifier) @import.name)
  source: (string
    (string_fragment) @import.path)) @import

; `import * as b from "a"`
(import_statement
  (import_clause
    (namespace_import
      (identifier) @import.name))
  source: (string
    (string_fragment) @import.path)) @import

; `import { b, c as d } from "a"`: the path comes in a match of its own. A pattern that went on behind the list
; would take time with the third power of its length.
(import_statement
  (import_clause
    (named_imports
      [
        (import_specifier
          !alias
          name: (_) @import.name)
        (import_specifier
          name: (_) @import.original
          alias: (_) @import.name)
      ]))) @import @import.list

(import_statement
  source: (string
    (string_fragment) @import.from)) @import.list

; `export * from "a"` reads another module and names nothing here.
(export_statement
  source: (string
    (string_fragment) @import.path)) @import

; `export { b, c as d } from "a"` names nothing here, but others import it from here.
(export_statement
  (export_clause
    [
      (export_specifier
        !alias
        name: (_) @import.exported)
      (export_specifier
        name: (_) @import.original
        alias: (_) @import.exported)
    ])) @import @import.list

(export_statement
  source: (string
    (string_fragment) @import.from)) @import.list

; `const b = require("a")`
(_
  (variable_declarator
    name: (identifier) @import.name
    value: (call_expression
      function: (identifier) @_require
      arguments: (arguments
        .
        (string
          (string_fragment) @import.path))))
  (#eq? @_require "require")) @import

; `const { b, c: d } = require("a")`
(_
  (variable_declarator
    name: (object_pattern
      [
        (shorthand_property_identifier_pattern) @import.name
        (pair_pattern
          key: (_) @import.original
          value: (identifier) @import.name)
      ])) @import.list) @import

(variable_declarator
  name: (object_pattern)
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments
      .
      (string
        (string_fragment) @import.from)))
  (#eq? @_require "require")) @import.list

; `import("a")`
(call_expression
  function: (import)
  arguments: (arguments
    .
    (string
      (string_fragment) @import.path))) @import
