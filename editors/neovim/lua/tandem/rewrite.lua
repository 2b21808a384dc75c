--- Rewrites by instruction.

local base = require('tandem.base')
local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local options = require('tandem.options')
local pending = require('tandem.pending')
local server = require('tandem.server')

local M = {}

--- The most instructions kept for completion.
local MAX_INSTRUCTIONS = 50

--- Instructions of this session, newest first.
--- @type string[]
local history = {}

--- How long the prompt waits for the server to name what will be rewritten, in ms.
local SHOW_TIMEOUT = 300

--- @param instruction string
local function remember(instruction)
  history = vim.tbl_filter(function(old)
    return old ~= instruction
  end, history)
  table.insert(history, 1, instruction)
  history[MAX_INSTRUCTIONS + 1] = nil
end

--- Instructions of this session that start with a text, newest first.
--- @param prefix string
--- @return string[]
function M.complete(prefix)
  return vim.tbl_filter(function(old)
    return vim.startswith(old, prefix)
  end, history)
end

--- Whether the buffer can be changed; warns if not, or if the file is read-only.
--- @param bufnr integer
--- @return boolean
local function check_modifiable(bufnr)
  if not vim.bo[bufnr].modifiable then
    notify.warn('this buffer cannot be changed (:set modifiable)')
    return false
  end
  if vim.bo[bufnr].readonly then
    local name = vim.api.nvim_buf_get_name(bufnr)
    notify.once('readonly ' .. name, 'this file is read-only; saving the change needs :write! or another name')
  end
  return true
end

--- The model that made a rewrite, and the remarks about it.
--- @param result table The answer to `tandem.rewrite`
--- @return string
local function describe_source(result)
  local by = type(result.model) == 'string' and result.model or 'the local engine'
  local flags = type(result.flags) == 'table' and result.flags or {}
  return #flags > 0 and ('%s (%s)'):format(by, table.concat(flags, '; ')) or by
end

--- Shows that a rewrite was made, and which uses it leaves.
--- @param result table The answer to `tandem.rewrite`
local function tell(result)
  local ending = require('tandem.trouble').note_left(result.left)
  notify.echo('rewritten by ' .. describe_source(result) .. ending)
end

--- The lines of a buffer after an edit.
--- @param bufnr integer
--- @param edit lsp.WorkspaceEdit
--- @param encoding string
--- @return string[]? lines nil if the edit changes other files
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

--- Shows the change as a diff, with a key to apply it.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param result table
local function preview(client, bufnr, result)
  local encoding = lsp.encoding(client)
  local texts, outdated = base.of(result.edit)
  if not texts then
    return notify.warn(outdated .. '; repeat the rewrite')
  end
  local after = edited(bufnr, result.edit, encoding)
  if not after then
    return notify.warn('the preview cannot show changes of other files; use `:Tandem rewrite`')
  end
  local before = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local shown = require('tandem.diff').unified(before, after)
  local title = ('Rewritten by %s. a: apply, q: discard.'):format(describe_source(result))
  table.insert(shown, 1, title)
  local window = vim.api.nvim_get_current_win()
  local preview_bufnr = require('tandem.window').open('rewrite', shown, 'diff')
  vim.keymap.set('n', 'a', function()
    local problem = base.apply(result.edit, encoding, texts)
    if problem then
      -- The diff stays, as an undo may bring the text back.
      return notify.warn(problem .. '; repeat the rewrite')
    end
    vim.api.nvim_buf_delete(preview_bufnr, { force = true })
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_set_current_win(window)
    end
    tell(result)
  end, { buffer = preview_bufnr, nowait = true, desc = 'Apply this change' })
end

--- Has the server change lines of the current buffer, and shows the change first if that is wanted.
--- @param client vim.lsp.Client
--- @param command string
--- @param argument table
--- @param what string The message until it is answered
--- @param with_preview? boolean Default: the option `preview`
function M.execute(client, command, argument, what, with_preview)
  local bufnr = vim.api.nvim_get_current_buf()
  if not check_modifiable(bufnr) then
    return
  end
  if with_preview == nil then
    with_preview = options.current.preview
  end
  argument.preview = with_preview or nil
  pending.execute(client, bufnr, command, argument, what, function(result)
    if with_preview and result.edit then
      preview(client, bufnr, result)
    else
      tell(result)
    end
  end)
end

--- The range of whole lines; an empty one, for which the server finds what the cursor is in, if there is no last line.
--- @param client vim.lsp.Client
--- @param first? integer Counted from 1. Default: the cursor
--- @param last? integer
--- @return lsp.Range
function M.range(client, first, last)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local from = { line = (first or row) - 1, character = 0 }
  if not first then
    from.character = lsp.to_column(vim.api.nvim_get_current_line(), lsp.encoding(client), column)
  end
  local to = from
  if last then
    local text = vim.api.nvim_buf_get_lines(0, last - 1, last, false)[1] or ''
    to = { line = last - 1, character = lsp.to_column(text, lsp.encoding(client), #text) }
  end
  return { start = from, ['end'] = to }
end

--- @class tandem.Rewrite
--- @field instruction string
--- @field first? integer The first line, counted from 1. Default: what the cursor is in.
--- @field last? integer
--- @field preview? boolean Whether to show the change before applying it. Default: the option `preview`.

--- Asks the server to rewrite lines of the current buffer.
--- @param target tandem.Rewrite
function M.rewrite(target)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.require_client(bufnr)
  if not client then
    return
  end
  remember(target.instruction)
  local argument = {
    textDocument = lsp.document(bufnr),
    range = M.range(client, target.first, target.last),
    instruction = target.instruction,
  }
  M.execute(client, 'tandem.rewrite', argument, target.instruction, target.preview)
end

local namespace = vim.api.nvim_create_namespace('tandem.rewrite')

--- Highlights what will be rewritten.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param target {first?: integer, last?: integer}
--- @return string? name What it is, for the prompt; nil if the server does not answer in time
local function show_target(client, bufnr, target)
  local argument = {
    textDocument = lsp.document(bufnr),
    range = M.range(client, target.first, target.last),
    show = true,
  }
  local params = { command = 'tandem.rewrite', arguments = { argument } }
  -- Waited for: what is typed next belongs to the prompt.
  local reply = lsp.call(client, 'request_sync', 'workspace/executeCommand', params, SHOW_TIMEOUT, bufnr)
  local found = reply and reply.result and reply.result.target
  if not found then
    return nil
  end
  local first, last = found.range.start.line, found.range['end'].line
  for line = first, math.min(last, vim.api.nvim_buf_line_count(bufnr) - 1) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, { line_hl_group = 'Visual' })
  end
  vim.cmd.redraw()
  local lines = first == last and ('line %d'):format(first + 1) or ('lines %d-%d'):format(first + 1, last + 1)
  return type(found.name) == 'string' and ('`%s` (%s)'):format(found.name, lines) or lines
end

--- Prompts for an instruction, then calls [M.rewrite].
--- @param target {first?: integer, last?: integer, preview?: boolean}
function M.ask(target)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.require_client(bufnr)
  if not client or not check_modifiable(bufnr) then
    return
  end
  local name = show_target(client, bufnr, target)
  vim.ui.input({
    prompt = name and ('Rewrite %s: '):format(name) or 'Rewrite: ',
    completion = "customlist,v:lua.require'tandem.rewrite'.complete",
  }, function(instruction)
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    end
    instruction = instruction and vim.trim(instruction) or ''
    if instruction ~= '' and vim.api.nvim_get_current_buf() == bufnr then
      M.rewrite(vim.tbl_extend('force', target, { instruction = instruction }))
    end
  end)
end

return M
