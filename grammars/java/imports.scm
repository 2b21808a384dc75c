; `import a.B;`, `import static a.B.c;`
(import_declaration
  (scoped_identifier
    scope: (_) @import.path
    name: (identifier) @import.name)
  .
  ";") @import

; `import a.*;`
(import_declaration
  (scoped_identifier) @import.path
  (asterisk)) @import
