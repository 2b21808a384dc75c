(table
  .
  (_) @name) @definition.table

(table_array_element
  .
  (_) @name) @definition.table

(pair
  .
  (_) @name
  (_) @body) @definition.key
