--- The user's mappings, as far as messages and hints name their keys.

local M = {}

--- The key that is mapped to next edits in normal mode, as it is written without brackets; nil if there is none.
--- @return string?
function M.next_edit_key()
  -- A mapping has the function of the public module only if that is loaded.
  local public = package.loaded['tandem']
  local found
  for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
    local calls = public and map.callback ~= nil and map.callback == public.tab
    if calls or map.rhs == '<Plug>(tandem-next)' or vim.startswith(map.desc or '', 'Tandem: next edit') then
      local key = map.lhs:match('^<([^<>]+)>$') or map.lhs
      -- Tab is shorter to press than a sequence.
      found = (not found or key == 'Tab') and key or found
    end
  end
  return found
end

return M
