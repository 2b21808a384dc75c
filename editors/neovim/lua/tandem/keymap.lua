--- The user's mappings, as far as messages and hints name their keys.

local M = {}

--- The key mapped to a function in a mode, written without angle brackets; nil without a mapping.
--- @param mode 'n'|'i'
--- @param name string The function of the public module
--- @param plug string
--- @param description? string How the mapping's description begins
--- @return string?
local function key_of(mode, name, plug, description)
  -- A mapping has the function of the public module only if that is loaded.
  local public = package.loaded['tandem']
  local found
  for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
    local calls = public and map.callback ~= nil and map.callback == public[name]
    local is_described = description and vim.startswith(map.desc or '', description)
    if calls or map.rhs == plug or is_described then
      local key = map.lhs:match('^<([^<>]+)>$') or map.lhs
      -- Tab is shorter to press than a sequence.
      found = (not found or key == 'Tab') and key or found
    end
  end
  return found
end

--- The key for next edits in the current mode.
--- @param without_tab boolean Whether Tab has another effect now
--- @return string?
function M.next_edit_key(without_tab)
  local mode = vim.startswith(vim.api.nvim_get_mode().mode, 'i') and 'i' or 'n'
  local key = key_of(mode, without_tab and 'next_edit' or 'tab', '<Plug>(tandem-next)', 'Tandem: next edit')
  return not (without_tab and key == 'Tab') and key or nil
end

--- The key for all next edits that are left.
--- @return string?
function M.apply_all_key()
  return key_of('n', 'apply_all', '<Plug>(tandem-apply-all)')
end

return M
