--- Requests for next edits: at most one at a time, and an answer only for the text that it was requested for.

local insert = require('tandem.next_edit_insert')
local lsp = require('tandem.lsp')
local notify = require('tandem.notify')

local M = {}

--- LSP's trigger kinds, as for ghost text.
M.INVOKED, M.AUTOMATIC = 1, 2

--- The delay before an automatic request, in ms.
local DEBOUNCE_MS = 100

--- @class tandem.Edit
--- @field id integer
--- @field text string
--- @field range lsp.Range
--- @field textDocument {uri: string, version?: integer}
--- @field rename? tandem.Rename The rename that it follows from
--- @field command? lsp.Command

--- @class tandem.NextEdits
--- @field edits tandem.Edit[]
--- @field left? tandem.Left

--- @alias tandem.NextEditContext {triggerKind: integer, all?: boolean, dismissed?: boolean}

--- @type {client: vim.lsp.Client, request: integer?}?
local pending
local timer = assert(vim.uv.new_timer())
--- The text of the last request.
--- @type {bufnr: integer, tick: integer}?
local last

--- Cancels the pending request and the scheduled one.
function M.cancel()
  timer:stop()
  insert.stop()
  if pending and pending.request then
    lsp.cancel(pending.client, pending.request)
  end
  pending = nil
end

--- Whether the last request was for the current text of a buffer.
--- @param bufnr integer
--- @return boolean
function M.is_asked(bufnr)
  return last ~= nil and last.bufnr == bufnr and last.tick == vim.api.nvim_buf_get_changedtick(bufnr)
end

--- Whether a request can be sent here. Says why not if it was invoked in a mode that shows no next edits.
--- @param context tandem.NextEditContext
--- @return boolean
function M.can_ask(context)
  local bufnr = vim.api.nvim_get_current_buf()
  if not lsp.client(bufnr) or not vim.bo[bufnr].modifiable or vim.bo[bufnr].readonly then
    return false
  end
  if context.triggerKind == M.INVOKED and not insert.shows_in_mode() then
    -- Behind <C-o> the answer would come in insert mode.
    notify.echo('next edits are shown in normal mode')
    return false
  end
  return true
end

--- Sends a request, and calls `found` with the edits unless the text, the buffer or the mode has changed meanwhile.
--- @param context tandem.NextEditContext
--- @param found fun(client: vim.lsp.Client, answer: tandem.NextEdits, bufnr: integer, tick: integer, message?: string)
function M.ask(context, found)
  M.cancel()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = assert(lsp.client(bufnr))
  local params = { textDocument = lsp.document(bufnr), position = lsp.position(client), context = context }
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  last = { bufnr = bufnr, tick = tick }
  local sent = { client = client }
  pending = sent
  sent.request = lsp.request(client, 'tandem/nextEdit', params, bufnr, function(err, result)
    if pending ~= sent then
      return
    end
    pending = nil
    -- Ignored if late: later changes send their own request.
    local still_here = vim.api.nvim_get_current_buf() == bufnr
      and lsp.is_attached(client, bufnr)
      and vim.api.nvim_buf_get_changedtick(bufnr) == tick
    if still_here and insert.shows_in_mode() then
      found(client, not err and result or { edits = {} }, bufnr, tick, err and err.message)
    end
  end)
end

--- Calls `request` after a moment, in normal mode, unless something else is requested before.
--- @param request fun()
function M.soon(request)
  timer:start(
    DEBOUNCE_MS,
    0,
    vim.schedule_wrap(function()
      if vim.api.nvim_get_mode().mode == 'n' then
        request()
      end
    end)
  )
end

return M
