--- Draws a next edit: its hunks in place, a sign beside them, and a hint at the cursor.

local decorations = require('tandem.decorations')
local insert = require('tandem.next_edit_insert')
local diff = require('tandem.diff')
local keymap = require('tandem.keymap')
local left_over = require('tandem.left')
local lsp = require('tandem.lsp')

local M = {}

local namespace = vim.api.nvim_create_namespace('tandem.next_edit')

--- @type integer? The mark of the hint
local hint_id

--- Removes everything that was drawn for an edit.
--- @param suggestion tandem.NextEdit
function M.clear(suggestion)
  for _, bufnr in ipairs({ suggestion.bufnr, suggestion.origin_bufnr }) do
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    end
  end
  hint_id = nil
end

--- The whole lines that the edit touches, before and after it.
--- @param suggestion tandem.NextEdit
--- @return integer row, string[] old, string[] new
local function touched_lines(suggestion)
  local range, encoding = suggestion.edit.range, lsp.encoding(suggestion.client)
  local first, last = range.start.line, range['end'].line
  local old = vim.api.nvim_buf_get_lines(suggestion.bufnr, first, last + 1, false)
  local head = (old[1] or ''):sub(1, lsp.to_byte(old[1] or '', encoding, range.start.character))
  local last_line = old[last - first + 1] or ''
  local tail = last_line:sub(lsp.to_byte(last_line, encoding, range['end'].character) + 1)
  local new = vim.split(head .. suggestion.edit.text:gsub('\r\n', '\n') .. tail, '\n', { plain = true })
  -- The range may end at the start of the line after the last.
  if #old == last - first and new[#new] == '' then
    table.remove(new)
  end
  return first, old, new
end

--- Whether the cursor is on a line that the edit changes.
--- @param suggestion tandem.NextEdit
function M.is_at_cursor(suggestion)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  return vim.api.nvim_get_current_buf() == suggestion.bufnr and row >= suggestion.first and row <= suggestion.last
end

--- The text of the hint: the mapped key and what it does. Without one, where the edit is if it is out of sight.
--- @param suggestion tandem.NextEdit
--- @return string?
local function hint_text(suggestion)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local key = keymap.next_edit_key(not suggestion.is_jumped_to and insert.tab_indents())
  local where
  if suggestion.bufnr ~= suggestion.origin_bufnr then
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(suggestion.bufnr), ':~:.')
    where = ('→ %s, line %d'):format(name, suggestion.edit.range.start.line + 1)
  elseif key and M.is_at_cursor(suggestion) then
    where = 'apply'
  elseif key or suggestion.first < vim.fn.line('w0') - 1 or suggestion.first > vim.fn.line('w$') - 1 then
    where = ('%s line %d'):format(suggestion.first < row and '↑' or '↓', suggestion.first + 1)
  end
  local text = where and ('%s: %s'):format(key or 'next edit', where)
  local left = left_over.text(suggestion.left)
  return text and left and ('%s · %s'):format(text, left) or text or left
end

--- Removes the hint: in another window, its key has another effect.
--- @param suggestion tandem.NextEdit
function M.clear_hint(suggestion)
  if hint_id and vim.api.nvim_buf_is_valid(suggestion.origin_bufnr) then
    vim.api.nvim_buf_del_extmark(suggestion.origin_bufnr, namespace, hint_id)
  end
  hint_id = nil
end

--- Draws the hint at the cursor's line.
--- @param suggestion tandem.NextEdit
function M.hint(suggestion)
  local bufnr = suggestion.origin_bufnr
  M.clear_hint(suggestion)
  local text = vim.api.nvim_get_current_buf() == bufnr and hint_text(suggestion)
  if text then
    hint_id = decorations.hint(namespace, text)
  end
end

--- Whether the windows of a buffer have room for a sign. Where the first sign makes the column appear, the text would
--- move while it is read.
--- @param bufnr integer
--- @return boolean
local function has_sign_column(bufnr)
  if #vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { type = 'sign', limit = 1 }) > 0 then
    return true
  end
  return vim.iter(vim.fn.win_findbuf(bufnr)):all(function(window)
    local option = vim.wo[window].signcolumn
    return not vim.startswith(option, 'auto') or option:find('%-') ~= nil
  end)
end

--- Draws the edit, if its file is open.
--- @param suggestion tandem.NextEdit
--- @return boolean changes false if it changes nothing
function M.edit(suggestion)
  suggestion.first, suggestion.last = suggestion.edit.range.start.line, suggestion.edit.range['end'].line
  if not vim.api.nvim_buf_is_loaded(suggestion.bufnr) then
    return true
  end
  local row, old, new = touched_lines(suggestion)
  local hunks = diff.hunks(old, new)
  if #hunks == 0 then
    return false
  end
  local last_hunk = hunks[#hunks]
  suggestion.first = row + hunks[1].row
  suggestion.last = math.max(suggestion.first, row + last_hunk.row + #last_hunk.removed - 1)
  decorations.hunks(suggestion.bufnr, namespace, row, hunks)
  if not has_sign_column(suggestion.bufnr) then
    return true
  end
  local last_row = vim.api.nvim_buf_line_count(suggestion.bufnr) - 1
  vim.api.nvim_buf_set_extmark(suggestion.bufnr, namespace, math.min(suggestion.first, last_row), 0, {
    sign_text = '▸',
    sign_hl_group = 'TandemSign',
  })
  return true
end

return M
