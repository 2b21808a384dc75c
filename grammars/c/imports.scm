; C++ inherits this file.

(preproc_include
  path: [
    (string_literal
      (string_content) @import.path)
    (system_lib_string) @import.path
  ]) @import
