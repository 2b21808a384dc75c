--- What the last change leaves to do in other files: the hint that says so, and what the key for all does about it.

local decorations = require('tandem.decorations')
local keymap = require('tandem.keymap')
local lsp = require('tandem.lsp')

local M = {}

--- @class tandem.Left
--- @field places {uri: string, range: lsp.Range}[]
--- @field rename? tandem.Rename
--- @field instruction? string For a plan

local namespace = vim.api.nvim_create_namespace('tandem.next_edit')

--- Something that is left while no next edit is.
--- @type {left: tandem.Left, bufnr: integer, tick: integer}?
local current

local function count(number, what)
  return ('%d %s%s'):format(number, what, number == 1 and '' or 's')
end

--- The hint: how much is left where, and the key that goes on there; nil if there is nothing that can be done.
--- @param left? tandem.Left
--- @return string?
function M.text(left)
  if not left then
    return nil
  end
  local key = keymap.apply_all_key() or ':Tandem all'
  local files = {}
  for _, place in ipairs(left.places) do
    files[place.uri] = true
  end
  local number = vim.tbl_count(files)
  if number == 0 then
    local is_possible = left.rename and require('tandem.rename').is_possible(left.rename)
    return is_possible and ('other files may use `%s` (%s)'):format(left.rename.from, key) or nil
  end
  local what = left.rename and ('%d more'):format(#left.places) or count(#left.places, 'place') .. ' to adapt'
  return ('%s in %s (%s)'):format(what, count(number, 'file'), key)
end

--- Shows what is left where there is no next edit, until the text changes.
--- @param left? tandem.Left
--- @param bufnr integer The current buffer
function M.show(left, bufnr)
  M.clear()
  local text = M.text(left)
  if left and text then
    current = { left = left, bufnr = bufnr, tick = vim.api.nvim_buf_get_changedtick(bufnr) }
    decorations.hint(namespace, text)
  end
end

function M.clear()
  if current and vim.api.nvim_buf_is_valid(current.bufnr) then
    vim.api.nvim_buf_clear_namespace(current.bufnr, namespace, 0, -1)
  end
  current = nil
end

--- What is shown as left in the current buffer.
--- @return tandem.Left?
function M.current()
  local bufnr = vim.api.nvim_get_current_buf()
  if current and current.bufnr == bufnr and current.tick == vim.api.nvim_buf_get_changedtick(bufnr) then
    return current.left
  end
end

--- What is left together with the place of an edit that is shown, which the server leaves out of it.
--- @param left? tandem.Left
--- @param edit? tandem.Edit
--- @return tandem.Left?
function M.with(left, edit)
  if not edit then
    return left
  end
  local all = vim.tbl_extend('force', left or {}, { places = vim.list_slice((left or {}).places or {}) })
  table.insert(all.places, { uri = edit.textDocument.uri, range = edit.range })
  table.sort(all.places, function(a, b)
    if a.uri ~= b.uri then
      return a.uri < b.uri
    end
    return a.range.start.line < b.range.start.line
  end)
  return all
end

--- Goes on with what is left: by a plan where there is a model, else by the list of the places.
--- @param client vim.lsp.Client
--- @param left? tandem.Left
--- @return boolean done False if nothing is left
function M.go_on(client, left)
  if not left or not left.instruction and #left.places == 0 then
    return false
  end
  if left.instruction then
    require('tandem.plan').plan(left.instruction)
  else
    local items = vim.lsp.util.locations_to_items(left.places, lsp.encoding(client))
    vim.fn.setqflist({}, ' ', { title = 'Tandem: left to change', items = items })
    vim.cmd('botright copen')
  end
  return true
end

return M
