; `using std::vector;`
(using_declaration
  (qualified_identifier
    scope: (_) @import.path
    name: (_) @import.name)
  (#not-match? @import "^using\\s+namespace\\s")) @import

; `using namespace std;`
(using_declaration
  "namespace"
  [
    (identifier)
    (qualified_identifier)
  ] @import.path) @import
