--- One suggestion of ghost text, and its remainder at the cursor. Draws nothing.

local lsp = require('tandem.lsp')

local M = {}

--- A suggestion, inserted at `row` and the byte `from`; its typed part follows that byte.
--- @class tandem.Suggestion
--- @field text string
--- @field row integer Counted from 0
--- @field from integer
--- @field prefix string The line before `from`
--- @field suffix string The line after the replaced bytes
--- @field replaced integer The bytes between the cursor and `suffix`, deleted by accepting it
--- @field id integer? The server's id
--- @field command lsp.Command? Executed when it is accepted
--- @field accepted integer The UTF-16 units accepted before `text`
--- @field announced boolean Whether `tandem/didShow` was sent

--- Converts an item of an answer, if its range contains the cursor's position at the time of the request.
--- @param found lsp.InlineCompletionItem
--- @param origin {row: integer, column: integer, line: string, encoding: string}
--- @return tandem.Suggestion?
function M.read(found, origin)
  local text, range = found.insertText, found.range
  if type(text) ~= 'string' or text == '' then
    return nil
  end
  text = text:gsub('\r\n', '\n')
  local from, to = origin.column, origin.column
  if range then
    if range.start.line ~= origin.row or range['end'].line ~= origin.row then
      return nil
    end
    from = lsp.to_byte(origin.line, origin.encoding, range.start.character)
    to = lsp.to_byte(origin.line, origin.encoding, range['end'].character)
    if from > origin.column or to < origin.column then
      return nil
    end
  end
  return {
    text = text,
    row = origin.row,
    from = from,
    prefix = origin.line:sub(1, from),
    suffix = origin.line:sub(to + 1),
    replaced = to - origin.column,
    id = found.command and found.command.arguments and found.command.arguments[1],
    command = found.command,
    accepted = 0,
    announced = false,
  }
end

--- Splits a suggestion into its typed part and the remainder.
--- @param suggestion tandem.Suggestion
--- @return string? typed nil if it no longer fits
--- @return string? rest
function M.remaining(suggestion)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  if row - 1 ~= suggestion.row or column < suggestion.from then
    return nil
  end
  local line = vim.api.nvim_get_current_line()
  local typed = line:sub(suggestion.from + 1, column)
  if
    not vim.startswith(line, suggestion.prefix)
    or not vim.endswith(line:sub(column + 1), suggestion.suffix)
    or not vim.startswith(suggestion.text, typed)
    or #typed == #suggestion.text
  then
    return nil
  end
  -- The replaced bytes must have kept their length.
  local replaced = #line - column - #suggestion.suffix
  if replaced ~= suggestion.replaced then
    return nil
  end
  return typed, suggestion.text:sub(#typed + 1)
end

--- The next word of a text, with the blanks before it, which include line ends and indentation.
--- @param text string
--- @return string
function M.word(text)
  return vim.fn.matchstr(text, [[\v^\_s*%(\k+|%(\k@!\S)+)?]])
end

--- The first line of a text, or the next one if the text starts with a line end.
--- @param text string
--- @return string
function M.line(text)
  return text:match('^\n*[^\n]*')
end

return M
