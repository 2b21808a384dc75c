--- Ghost text: Neovim 0.12 asks for it and draws it; this keeps it true while you type.
---
--- Neovim by itself goes on showing a suggestion at its old place until the next answer comes, and accepts it there,
--- and it takes an answer that was made for an older text. Here, every key and every late answer leads to what is left
--- of the suggestion at the cursor, or to nothing.

local M = {}

--- The last answer for a buffer, and how to give Neovim another.
--- @class tandem.Answer
--- @field client vim.lsp.Client
--- @field items table[] LSP inline completion items
--- @field give fun(items: table[]) Puts other items in their place

--- @type table<integer, tandem.Answer?> by buffer
local answers = {}

--- What is left of an item whose text the user may have typed a part of.
--- @param item table
--- @param bufnr integer
--- @param encoding string What the item's columns count
--- @return table? item nil if the user typed something else, or all of it
local function remaining(item, bufnr, encoding)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  row = row - 1
  local range = item.range
  if not range or type(item.insertText) ~= 'string' or range.start.line ~= row or range['end'].line ~= row then
    return nil
  end
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
  if range.start.character ~= range['end'].character then
    return nil
  end
  local start = vim.str_byteindex(line, encoding, range.start.character, false)
  local typed = start <= column and line:sub(start + 1, column)
  if not typed or not vim.startswith(item.insertText, typed) or #typed == #item.insertText then
    return nil
  end
  local at = { line = row, character = vim.str_utfindex(line, encoding, column, false) }
  local rest = { insertText = item.insertText:sub(#typed + 1), range = { start = at, ['end'] = at } }
  return vim.tbl_extend('force', item, rest)
end

--- @param bufnr integer
--- @param items table[]
--- @param encoding string
--- @return table[]
local function all_remaining(bufnr, items, encoding)
  if vim.api.nvim_get_current_buf() ~= bufnr then
    return {}
  end
  local rest = {}
  for _, item in ipairs(items) do
    table.insert(rest, remaining(item, bufnr, encoding))
  end
  return rest
end

--- Stands between Neovim's inline completion and the server.
--- @param client vim.lsp.Client
local function watch(client)
  local request = client.request
  --- @diagnostic disable-next-line: duplicate-set-field
  client.request = function(self, method, params, handler, bufnr)
    if self ~= client or method ~= 'textDocument/inlineCompletion' or not handler or not bufnr then
      return request(self, method, params, handler, bufnr)
    end
    params.textDocument.version = vim.lsp.util.buf_versions[bufnr]
    return request(self, method, params, function(err, result, ctx)
      local function give(items)
        handler(err, items, ctx)
      end
      -- The server may be gone, or ghost text switched off, since the request went out.
      if not M.is_on(client, bufnr) then
        return
      end
      local items = all_remaining(bufnr, result and (result.items or result) or {}, client.offset_encoding)
      answers[bufnr] = { client = client, items = items, give = give }
      give(items)
    end, bufnr)
  end
end

--- After each key: what is left takes the place of what was there.
--- @param bufnr integer
local function follow(bufnr)
  local answer = answers[bufnr]
  if not answer or #answer.items == 0 then
    return
  end
  if not M.is_on(answer.client, bufnr) then
    answers[bufnr] = nil
    return
  end
  answer.items = all_remaining(bufnr, answer.items, answer.client.offset_encoding)
  answer.give(answer.items)
end

--- Accepts what is on screen in the current buffer.
--- @return boolean accepted
function M.accept()
  if not vim.lsp.inline_completion then
    return false
  end
  -- Keys that were typed too fast for an event are followed now.
  follow(vim.api.nvim_get_current_buf())
  return vim.lsp.inline_completion.get()
end

--- Whether ghost text from this server is shown in a buffer.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @return boolean
function M.is_on(client, bufnr)
  return vim.lsp.inline_completion ~= nil
    and vim.lsp.buf_is_attached(bufnr, client.id)
    and vim.lsp.inline_completion.is_enabled({ bufnr = bufnr, client_id = client.id })
end

--- @param group integer The group for autocommands
function M.setup(group)
  if not vim.lsp.inline_completion then
    return
  end
  local watched = {}
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if not client or client.name ~= 'tandem' then
        return
      end
      if not watched[client.id] then
        watched[client.id] = true
        watch(client)
      end
      vim.lsp.inline_completion.enable(true, { bufnr = event.buf })
    end,
  })
  vim.api.nvim_create_autocmd('CursorMovedI', {
    group = group,
    callback = function(event)
      follow(event.buf)
    end,
  })
  -- Neovim lets go of its suggestion then, too.
  vim.api.nvim_create_autocmd({ 'InsertLeave', 'LspDetach' }, {
    group = group,
    callback = function(event)
      answers[event.buf] = nil
    end,
  })
end

return M
