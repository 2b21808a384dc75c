--- The options of `setup()`: types, defaults and validation.

local M = {}

--- @class tandem.Options
--- @field cmd? string|string[] The program, or the program with its arguments. Default: `tandem` on PATH.
--- @field settings? table Settings that override the configuration file. See the README of the server.
--- @field filetypes? string[] The filetypes to attach. Default: all.
--- @field enabled? boolean|fun(bufnr: integer): boolean Whether to attach a buffer. Default: true.
--- @field ghost_text? boolean Whether to show ghost text. Default: true.
--- @field debounce? integer Milliseconds without a key before a request for ghost text. Default: 10; the server waits, too.
--- @field hide_with_menu? boolean Whether an open completion menu hides ghost text. Default: false.
--- @field next_edit? boolean Whether to suggest next edits. Default: true.
--- @field next_edit_insert_pause? integer Milliseconds without a key or ghost text before next edits in insert mode.
--- @field rename_timeout? integer Milliseconds that another server may take for a rename; 0: it is not asked. Default: 1000.
--- @field preview? boolean Whether a rewrite is shown before it is applied. Default: false.
--- @field fix_on_save? boolean Whether certain fixes are applied before a buffer is written. Default: false.

local types = {
  cmd = { 'string', 'table' },
  settings = { 'table' },
  filetypes = { 'table' },
  enabled = { 'boolean', 'function' },
  ghost_text = { 'boolean' },
  debounce = { 'number' },
  hide_with_menu = { 'boolean' },
  next_edit = { 'boolean' },
  next_edit_insert_pause = { 'number' },
  rename_timeout = { 'number' },
  preview = { 'boolean' },
  fix_on_save = { 'boolean' },
}

--- @type tandem.Options
M.defaults = {
  cmd = nil,
  settings = {},
  filetypes = nil,
  enabled = true,
  ghost_text = true,
  debounce = 10,
  hide_with_menu = false,
  next_edit = true,
  next_edit_insert_pause = nil,
  rename_timeout = 1000,
  preview = false,
  fix_on_save = false,
}

--- The current options.
--- @type tandem.Options
M.current = M.defaults

--- Sets the valid options, and reports the others.
--- @param opts table
--- @return string? problem
function M.set(opts)
  local good, problems = vim.deepcopy(M.defaults), {}
  for name, value in pairs(opts) do
    if not types[name] then
      table.insert(problems, ('there is no option `%s`'):format(name))
    elseif not vim.list_contains(types[name], type(value)) then
      table.insert(problems, ('`%s` must be a %s'):format(name, table.concat(types[name], ' or a ')))
    else
      good[name] = value
    end
  end
  M.current = good
  table.sort(problems)
  return #problems > 0 and table.concat(problems, '; ') .. ' (:help tandem-options)' or nil
end

return M
