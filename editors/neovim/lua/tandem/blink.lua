--- A source for blink.cmp, which shows suggestions as entries of its menu instead of ghost text. The methods are those
--- of `blink.cmp.Source`.

local ghost = require('tandem.ghost')
local lsp = require('tandem.lsp')
local suggestions = require('tandem.suggestion')

--- @class tandem.BlinkSource
local M = {}
M.__index = M

--- LSP's InlineCompletionTriggerKind.
local INVOKED, AUTOMATIC = 1, 2

--- @return tandem.BlinkSource
function M.new()
  return setmetatable({}, M)
end

--- Whether the source is asked. While ghost text is shown, requests for the menu would supersede its requests.
--- @return boolean
function M.enabled()
  local bufnr = vim.api.nvim_get_current_buf()
  return lsp.client(bufnr) ~= nil and not ghost.is_on(bufnr)
end

--- @return string[]
function M.get_trigger_characters()
  return { '.', ':', '(', '=', ' ' }
end

--- An entry of the menu. Its columns are bytes, as blink.cmp expects of a source that is no language client.
--- @param suggestion tandem.Suggestion
--- @param origin {row: integer, column: integer, line: string}
--- @param keyword integer The byte at which blink.cmp's keyword begins
--- @param bufnr integer
local function entry(suggestion, origin, keyword, bufnr)
  -- The keyword is part of the entry, since blink.cmp compares the two.
  local from = math.min(keyword, suggestion.from)
  local text = origin.line:sub(from + 1, suggestion.from) .. suggestion.text
  local first, more = text:match('^%s*([^\n]*)(.*)$')
  return {
    label = more ~= '' and first .. ' …' or first,
    filterText = text:match('^[^\n]*'),
    kind = vim.lsp.protocol.CompletionItemKind.Text,
    kind_name = 'Tandem',
    textEdit = {
      newText = text,
      range = {
        start = { line = origin.row, character = from },
        ['end'] = { line = origin.row, character = origin.column + suggestion.replaced },
      },
    },
    documentation = {
      kind = 'markdown',
      value = ('```%s\n%s\n```'):format(vim.bo[bufnr].filetype, text),
    },
    data = { id = suggestion.id, command = suggestion.command },
  }
end

--- @param context {bufnr: integer, cursor: integer[], line: string, bounds: {start_col: integer}, trigger: {kind: string}}
--- @param callback fun(response?: table)
--- @return fun()? cancel
function M.get_completions(_, context, callback)
  local bufnr = context.bufnr
  local client = lsp.client(bufnr)
  local function respond(items)
    -- Any key may change what is suggested.
    callback({ items = items, is_incomplete_forward = true, is_incomplete_backward = true })
  end
  if not client then
    return respond({})
  end
  local encoding = lsp.encoding(client)
  local origin = { row = context.cursor[1] - 1, column = context.cursor[2], line = context.line, encoding = encoding }
  local params = {
    textDocument = lsp.document(bufnr),
    position = { line = origin.row, character = lsp.to_column(origin.line, encoding, origin.column) },
    context = { triggerKind = context.trigger.kind == 'manual' and INVOKED or AUTOMATIC },
  }
  local request = lsp.request(client, 'textDocument/inlineCompletion', params, bufnr, function(err, result)
    local items = {}
    for _, found in ipairs(not err and result and (result.items or result) or {}) do
      local suggestion = suggestions.read(found, origin)
      if suggestion then
        table.insert(items, entry(suggestion, origin, context.bounds.start_col - 1, bufnr))
      end
    end
    respond(items)
  end)
  if not request then
    return respond({})
  end
  return function()
    lsp.cancel(client, request)
  end
end

--- Called for the selected entry: it is on screen.
--- @param item table
--- @param callback fun(item: table)
function M.resolve(_, item, callback)
  local client = lsp.client(vim.api.nvim_get_current_buf())
  if client and item.data.id then
    lsp.notify(client, 'tandem/didShow', { item = item.data.id })
  end
  callback(item)
end

--- Accepts an entry.
--- @param context table
--- @param item table
--- @param callback fun()
--- @param default_implementation fun(context?: table, item?: table)
function M.execute(_, context, item, callback, default_implementation)
  default_implementation(context, item)
  local client, command = lsp.client(context.bufnr), item.data.command
  if client and command then
    lsp.request(client, 'workspace/executeCommand', {
      command = command.command,
      arguments = command.arguments,
    }, context.bufnr, function() end)
  end
  callback()
end

return M
