--- Says in words what edits do to a text. Plain functions, data in and text out, except for [M.of].

local lsp = require('tandem.lsp')

local M = {}

--- The pieces of code that are named; more of them are counted.
local NAMED = 3
--- The most characters of a piece of code.
local CHARS = 40

--- @class tandem.Replacement
--- @field old string
--- @field new string

--- A piece of code on one line, quoted.
--- @param text string
--- @return string
local function quoted(text)
  text = vim.trim(text):gsub('%s+', ' ')
  if vim.fn.strchars(text) > CHARS then
    text = vim.fn.strcharpart(text, 0, CHARS - 1) .. '…'
  end
  return ('`%s`'):format(text)
end

--- @param into string[]
--- @param text string
local function add_lines(into, text)
  for line in vim.gsplit(text, '\n', { plain = true }) do
    if vim.trim(line) ~= '' then
      table.insert(into, quoted(line))
    end
  end
end

--- @param items string[]
--- @return string
local function listed(items)
  if #items > NAMED then
    return ('%s and %d more'):format(table.concat(items, ', ', 1, NAMED), #items - NAMED)
  elseif #items > 1 then
    return ('%s and %s'):format(table.concat(items, ', ', 1, #items - 1), items[#items])
  end
  return items[1]
end

--- @param replacements tandem.Replacement[] In the order of the text
--- @return string? text nil if they change blanks alone
function M.describe(replacements)
  local removed, added, changed = {}, {}, {}
  for _, it in ipairs(replacements) do
    if vim.trim(it.new) == '' then
      add_lines(removed, it.old)
    elseif vim.trim(it.old) == '' then
      add_lines(added, it.new)
    else
      table.insert(changed, ('%s to %s'):format(quoted(it.old), quoted(it.new)))
    end
  end
  local parts = {}
  for what, items in vim.spairs({ removed = removed, added = added, changed = changed }) do
    if #items > 0 then
      table.insert(parts, ('%s %s'):format(what, listed(items)))
    end
  end
  return #parts > 0 and table.concat(parts, '; ') or nil
end

--- What edits will do to a buffer's text.
--- @param bufnr integer
--- @param edits lsp.TextEdit[]
--- @param encoding string
--- @return string?
function M.of(bufnr, edits, encoding)
  local last = vim.api.nvim_buf_line_count(bufnr)
  --- @param at lsp.Position
  local function position(at)
    if at.line >= last then
      return last - 1, -1
    end
    local line = vim.api.nvim_buf_get_lines(bufnr, at.line, at.line + 1, false)[1]
    return at.line, lsp.to_byte(line, encoding, at.character)
  end
  local sorted = vim.list_slice(edits)
  table.sort(sorted, function(a, b)
    local x, y = a.range.start, b.range.start
    return x.line < y.line or x.line == y.line and x.character < y.character
  end)
  return M.describe(vim.tbl_map(function(edit)
    local row, column = position(edit.range.start)
    local end_row, end_column = position(edit.range['end'])
    local old = vim.api.nvim_buf_get_text(bufnr, row, column, end_row, end_column, {})
    return { old = table.concat(old, '\n'), new = edit.newText }
  end, sorted))
end

return M
