#!/usr/bin/env bash
set -euo pipefail

count=0
^^^^^^^ definition.variable
^^^^^ definition.variable name
export PATH="$HOME/bin:$PATH"
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
       ^^^^ definition.variable name
readonly limit=64
^^^^^^^^^^^^^^^^^ definition.constant
         ^^^^^ definition.constant name

area() {
^^^^^^^^ definition.function, scope (4 lines)
^^^^ definition.function name
       ^ definition.function body, scope (4 lines)
  local radius=$1
  echo $((radius * radius * 3))
}

function each {
^^^^^^^^^^^^^^^ definition.function, scope (8 lines)
         ^^^^ definition.function name
              ^ definition.function body, scope (8 lines)
  for shape in "$@"; do
                     ^^ scope (6 lines)
    case $shape in
    ^^^^^^^^^^^^^^ scope (4 lines)
      circle) area 1 ;;
      *) echo "unknown: $shape" ;;
    esac
  done
}

if [[ $# -eq 0 ]]; then
^^^^^^^^^^^^^^^^^^^^^^^ scope (7 lines)
  each circle
elif [[ $1 == all ]]; then
^^^^^^^^^^^^^^^^^^^^^^^^^^ scope (2 lines)
  (cd shapes && each *)
  ^^^^^^^^^^^^^^^^^^^^^ scope
else
^^^^ scope (2 lines)
  each "$@"
fi

total() (
^^^^^^^^^ definition.function, scope (5 lines)
^^^^^ definition.function name
        ^ definition.function body, scope (5 lines)
  while read -r line; do
                      ^^ scope (3 lines)
    count=$((count + line))
  done
)
