--- One suggestion of ghost text: what the server said, and what is left of it at the cursor. Draws nothing.

local lsp = require('tandem.lsp')

local M = {}

--- A suggestion. Its text belongs at `row`, from the byte `from` on; what the user typed of it is behind that byte.
--- @class tandem.Item
--- @field text string
--- @field row integer Counted from 0
--- @field from integer
--- @field head string What the line has before `from`
--- @field tail string What the line has behind the text
--- @field replaced integer How many bytes between the cursor and `tail` go when it is accepted
--- @field id integer? The server's number for it
--- @field command lsp.Command? To be executed when it is accepted
--- @field taken integer UTF-16 units of the whole that were accepted before `text`
--- @field announced boolean Whether the server knows that it is on screen

--- An item of an answer, if what it says belongs where the cursor was.
--- @param found lsp.InlineCompletionItem
--- @param asked {row: integer, column: integer, line: string, encoding: string}
--- @return tandem.Item?
function M.read(found, asked)
  local text, range = found.insertText, found.range
  if type(text) ~= 'string' or text == '' then
    return nil
  end
  text = text:gsub('\r\n', '\n')
  local from, to = asked.column, asked.column
  if range then
    if range.start.line ~= asked.row or range['end'].line ~= asked.row then
      return nil
    end
    from = lsp.to_byte(asked.line, asked.encoding, range.start.character)
    to = lsp.to_byte(asked.line, asked.encoding, range['end'].character)
    if from > asked.column or to < asked.column then
      return nil
    end
  end
  return {
    text = text,
    row = asked.row,
    from = from,
    head = asked.line:sub(1, from),
    tail = asked.line:sub(to + 1),
    replaced = to - asked.column,
    id = found.command and found.command.arguments and found.command.arguments[1],
    command = found.command,
    taken = 0,
    announced = false,
  }
end

--- What the user has typed of an item, and what is left of it.
--- @param item tandem.Item
--- @return string? typed nil if it no longer belongs here
--- @return string? rest
function M.remaining(item)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  if row - 1 ~= item.row or column < item.from then
    return nil
  end
  local line = vim.api.nvim_get_current_line()
  local typed = line:sub(item.from + 1, column)
  if
    not vim.startswith(line, item.head)
    or not vim.endswith(line:sub(column + 1), item.tail)
    or not vim.startswith(item.text, typed)
    or #typed == #item.text
  then
    return nil
  end
  -- Of what is to be replaced behind the cursor, nothing may have changed length unseen.
  local replaced = #line - column - #item.tail
  if replaced ~= item.replaced then
    return nil
  end
  return typed, item.text:sub(#typed + 1)
end

--- How much of a text is its next word, with the space before it; a line's end and the next line's indentation count as
--- space.
--- @param text string
--- @return string
function M.word(text)
  return vim.fn.matchstr(text, [[\v^\_s*%(\k+|%(\k@!\S)+)?]])
end

--- How much of a text is its first line, or if that is all typed, the next one.
--- @param text string
--- @return string
function M.line(text)
  return text:match('^\n*[^\n]*')
end

return M
