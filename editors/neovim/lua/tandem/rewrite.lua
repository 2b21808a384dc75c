--- Rewrites by instruction.

local lsp = require('tandem.lsp')
local options = require('tandem.options')
local say = require('tandem.say')
local server = require('tandem.server')

local M = {}

--- How many instructions are remembered.
local REMEMBERED = 50

--- The instructions of this session, the newest first.
--- @type string[]
local history = {}

--- What is being made.
--- @type {client: vim.lsp.Client, request: integer?}?
local running

--- @param instruction string
local function remember(instruction)
  history = vim.tbl_filter(function(old)
    return old ~= instruction
  end, history)
  table.insert(history, 1, instruction)
  history[REMEMBERED + 1] = nil
end

--- The instructions of this session that begin so, the newest first.
--- @param lead string
--- @return string[]
function M.complete(lead)
  return vim.tbl_filter(function(old)
    return vim.startswith(old, lead)
  end, history)
end

--- @param bufnr integer
--- @return boolean
local function may_change(bufnr)
  if not vim.bo[bufnr].modifiable then
    say.warn('this buffer cannot be changed (:set modifiable)')
    return false
  end
  if vim.bo[bufnr].readonly then
    local name = vim.api.nvim_buf_get_name(bufnr)
    say.once('readonly ' .. name, 'this file is read-only; :write! or another name is needed to keep the change')
  end
  return true
end

--- @param result table What `tandem.rewrite` answered
--- @return string
local function who(result)
  local by = type(result.model) == 'string' and result.model or 'the local engine'
  local flags = type(result.flags) == 'table' and result.flags or {}
  return #flags > 0 and ('%s (%s)'):format(by, table.concat(flags, '; ')) or by
end

--- The lines of a buffer as an edit would leave them.
--- @param bufnr integer
--- @param edit lsp.WorkspaceEdit
--- @param encoding string
--- @return string[]? lines nil if the edit is about more than this buffer
local function edited(bufnr, edit, encoding)
  local uri = vim.uri_from_bufnr(bufnr)
  local text_edits = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.kind or change.textDocument.uri ~= uri then
      return nil
    end
    vim.list_extend(text_edits, change.edits)
  end
  for changed, edits in pairs(edit.changes or {}) do
    if changed ~= uri then
      return nil
    end
    vim.list_extend(text_edits, edits)
  end
  local scratch = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(scratch, 0, -1, false, vim.api.nvim_buf_get_lines(bufnr, 0, -1, false))
  vim.lsp.util.apply_text_edits(vim.deepcopy(text_edits), scratch, encoding)
  local lines = vim.api.nvim_buf_get_lines(scratch, 0, -1, false)
  vim.api.nvim_buf_delete(scratch, { force = true })
  return lines
end

--- Shows what an answer would change, and changes it when the user says so.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param tick integer The text's `changedtick` when it was asked
--- @param result table
local function preview(client, bufnr, tick, result)
  local encoding = lsp.encoding(client)
  local after = edited(bufnr, result.edit, encoding)
  if not after then
    return say.warn('the answer is about another file; rewrite without the preview')
  end
  local before = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local shown = require('tandem.diff').unified(before, after)
  local title = ('By %s. a applies it, q does not.'):format(who(result))
  table.insert(shown, 1, title)
  local window = vim.api.nvim_get_current_win()
  local above = require('tandem.window').open('rewrite', shown, 'diff')
  vim.keymap.set('n', 'a', function()
    vim.api.nvim_buf_delete(above, { force = true })
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_set_current_win(window)
    end
    if not vim.api.nvim_buf_is_loaded(bufnr) or vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then
      return say.warn('the text was changed meanwhile; ask again')
    end
    vim.lsp.util.apply_workspace_edit(result.edit, encoding)
    say.echo('rewritten by ' .. who(result))
  end, { buffer = above, nowait = true, desc = 'Apply this change' })
end

--- @class tandem.Rewrite
--- @field instruction string
--- @field first? integer The first line, counted from 1. Default: the cursor's, and all of what begins on it.
--- @field last? integer
--- @field preview? boolean Whether to show the change before it is made. Default: the option of this name.

--- Asks the server to rewrite lines of the current buffer.
--- @param wanted tandem.Rewrite
function M.rewrite(wanted)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.need(bufnr)
  if not client or not may_change(bufnr) then
    return
  end
  remember(wanted.instruction)
  -- An empty range asks the server to find the end.
  local from = { line = (wanted.first or vim.api.nvim_win_get_cursor(0)[1]) - 1, character = 0 }
  local to = from
  if wanted.last then
    local text = vim.api.nvim_buf_get_lines(bufnr, wanted.last - 1, wanted.last, false)[1] or ''
    to = { line = wanted.last - 1, character = lsp.to_column(text, lsp.encoding(client), #text) }
  end
  local with_preview = wanted.preview
  if with_preview == nil then
    with_preview = options.current.preview
  end
  local argument = {
    textDocument = lsp.document(bufnr),
    range = { start = from, ['end'] = to },
    instruction = wanted.instruction,
    preview = with_preview or nil,
  }
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  say.echo(wanted.instruction .. ' …')
  local mine = { client = client }
  running = mine
  mine.request = lsp.execute(client, 'tandem.rewrite', argument, bufnr, function(err, result)
    if running == mine then
      running = nil
    end
    if err then
      vim.notify(err.message, vim.log.levels.WARN)
    elseif with_preview and result.edit then
      preview(client, bufnr, tick, result)
    else
      say.echo('rewritten by ' .. who(result))
    end
  end)
end

--- Stops the rewrite that is being made.
function M.cancel()
  if running and running.request then
    -- Neovim keeps the answer to itself that the server gives to this.
    lsp.cancel(running.client, running.request)
    running = nil
    say.echo('stopped')
  else
    say.echo('no rewrite is being made')
  end
end

--- Asks for an instruction, then as [M.rewrite].
--- @param wanted {first?: integer, last?: integer, preview?: boolean}
function M.ask(wanted)
  local bufnr = vim.api.nvim_get_current_buf()
  if not server.need(bufnr) or not may_change(bufnr) then
    return
  end
  vim.ui.input({
    prompt = 'Tandem, rewrite: ',
    completion = "customlist,v:lua.require'tandem.rewrite'.complete",
  }, function(instruction)
    instruction = instruction and vim.trim(instruction) or ''
    if instruction ~= '' and vim.api.nvim_get_current_buf() == bufnr then
      M.rewrite(vim.tbl_extend('force', wanted, { instruction = instruction }))
    end
  end)
end

return M
