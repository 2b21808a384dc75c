--- Next edits: the edits that follow from recent ones.
---
--- One is requested when insert mode ends, when a command changed the text, and when a next edit was accepted; with
--- `next_edit_insert_pause` also after a pause in insert mode. One key jumps to it, the same key applies it. Any other
--- change of the text clears it. While the user is in another window, it stays drawn, and no key is about it.

local base = require('tandem.base')
local drawing = require('tandem.next_edit_drawing')
local ghost = require('tandem.ghost')
local insert = require('tandem.next_edit_insert')
local left_over = require('tandem.left')
local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local options = require('tandem.options')
local requests = require('tandem.next_edit_request')
local silence = require('tandem.silence')

local M = {}

--- Names the watch for Escape.
local key_watch = vim.api.nvim_create_namespace('tandem.next_edit.keys')

local INVOKED, AUTOMATIC = requests.INVOKED, requests.AUTOMATIC

--- @class tandem.NextEdit
--- @field client vim.lsp.Client
--- @field edit tandem.Edit As the server sent it
--- @field bufnr integer The buffer of the edit; it may not be loaded yet
--- @field origin_bufnr integer The current buffer at the time of the request
--- @field base tandem.Base The text that the edit was made for
--- @field left? tandem.Left What other files have beyond it
--- @field kind integer How it was requested; the ones after it are requested likewise
--- @field tick integer? That buffer's `changedtick`
--- @field first integer? The first line that changes, counted from 0, once it is drawn
--- @field last integer? The last
--- @field is_jumped_to? boolean Whether the user has jumped to it

--- @type tandem.NextEdit?
local current
--- The files whose places were listed. Each has an edit to show once the user goes there.
--- @type table<string, true>
local listed = {}
function M.clear()
  if current then
    drawing.clear(current)
  end
  current = nil
  left_over.clear()
  vim.on_key(nil, key_watch)
end

--- The next edit of the current buffer: one in another file is named here.
--- @return tandem.NextEdit?
local function here()
  return current and current.origin_bufnr == vim.api.nvim_get_current_buf() and current or nil
end

--- The text that an edit was made for, which the server must have just sent.
--- @param edit tandem.Edit
--- @param origin_bufnr integer
--- @return tandem.Base? base nil if the file has another text already
local function base_of(edit, origin_bufnr)
  local document = edit.textDocument
  if type(document.version) ~= 'number' and vim.uri_to_bufnr(document.uri) == origin_bufnr then
    -- That buffer is known by its `changedtick`.
    return {}
  end
  return (base.of({ documentChanges = { { textDocument = document, edits = {} } } }))
end

--- Whether the text is unchanged since the request.
--- @param suggestion tandem.NextEdit
local function is_current(suggestion)
  return vim.api.nvim_buf_is_valid(suggestion.origin_bufnr)
    and vim.api.nvim_buf_get_changedtick(suggestion.origin_bufnr) == suggestion.tick
    and base.holds(suggestion.base)
end

--- Where the next edit is: none is drawn, it is away from the cursor, or at the cursor.
--- @return 'none'|'far'|'here'
function M.location()
  local suggestion = here()
  if not suggestion or not insert.shows_in_mode() then
    return 'none'
  end
  return drawing.is_at_cursor(suggestion) and 'here' or 'far'
end

--- Whether the editor's own Tab would indent, and the user has not jumped to the next edit.
--- @return boolean
function M.tab_indents()
  local suggestion = here()
  return not (suggestion and suggestion.is_jumped_to) and insert.tab_indents()
end

--- Dismisses the edit on Escape in normal mode. The key keeps its other effects.
local function watch_escape()
  local escape = vim.keycode('<Esc>')
  vim.on_key(function(key, typed)
    if (typed or key) == escape and vim.api.nvim_get_mode().mode == 'n' and here() then
      vim.schedule(M.dismiss)
    end
  end, key_watch)
end

--- @param suggestion tandem.NextEdit
local function show(suggestion)
  M.clear()
  current = suggestion
  if not drawing.edit(suggestion) then
    M.clear()
    return
  end
  drawing.hint(suggestion)
  watch_escape()
  silence.reset()
  lsp.notify(suggestion.client, 'tandem/didShow', { item = suggestion.edit.id })
end

--- Clears what is on screen, and sends a request.
--- @param context tandem.NextEditContext
--- @param found fun(client: vim.lsp.Client, answer: tandem.NextEdits, bufnr: integer, tick: integer, message?: string)
local function ask(context, found)
  if requests.can_ask(context) then
    M.clear()
    requests.ask(context, found)
  end
end

--- Requests a next edit.
--- @param kind integer
--- @param opts? {dismissed?: boolean, silent?: boolean}
local function request_edit(kind, opts)
  opts = opts or {}
  local before = here()
  ask({ triggerKind = kind, dismissed = opts.dismissed }, function(client, answer, bufnr, tick, message)
    local edit = answer.edits[1]
    if not edit then
      if opts.dismissed and before and is_current(before) then
        -- What is on screen stays.
        show(before)
      else
        left_over.show(answer.left, bufnr)
      end
      if kind == INVOKED and not opts.silent and not left_over.current() then
        local nothing = opts.dismissed and 'no dismissed suggestion can be shown again' or 'no next edit (:Tandem why)'
        notify.echo(message or nothing)
      end
      return
    end
    local suggestion = {
      client = client,
      edit = edit,
      bufnr = vim.uri_to_bufnr(edit.textDocument.uri),
      origin_bufnr = bufnr,
      base = base_of(edit, bufnr),
      left = answer.left,
      kind = kind,
      tick = tick,
    }
    if suggestion.base and is_current(suggestion) then
      show(suggestion)
    end
  end)
end

--- Reports that edits were accepted.
--- @param client vim.lsp.Client
--- @param edits tandem.Edit[]
--- @param bufnr integer
local function report_accepted(client, edits, bufnr)
  for _, edit in ipairs(edits) do
    if edit.command then
      lsp.request(client, 'workspace/executeCommand', {
        command = edit.command.command,
        arguments = edit.command.arguments,
      }, bufnr, function() end)
    end
  end
end

--- @param kind? integer
local function request_soon(kind)
  if kind == INVOKED or options.current.next_edit then
    requests.soon(function()
      request_edit(kind or AUTOMATIC, { silent = true })
    end)
  end
end

--- Requests one for the text of a buffer, unless that was done: applying an edit has sent a request already.
--- @param bufnr integer
local function request_for(bufnr)
  if lsp.client(bufnr) and not requests.is_asked(bufnr) then
    request_soon()
  end
end

--- @param suggestion tandem.NextEdit
local function jump(suggestion)
  suggestion.is_jumped_to = true
  -- Adds an entry to the jumplist.
  vim.cmd("normal! m'")
  local elsewhere = vim.api.nvim_get_current_buf() ~= suggestion.bufnr
  if elsewhere then
    -- It is drawn again in its own buffer.
    listed[suggestion.edit.textDocument.uri] = nil
    vim.bo[suggestion.bufnr].buflisted = true
    vim.api.nvim_win_set_buf(0, suggestion.bufnr)
    suggestion.origin_bufnr = suggestion.bufnr
    suggestion.left = nil
    suggestion.tick = vim.api.nvim_buf_get_changedtick(suggestion.bufnr)
    show(suggestion)
  end
  local row = math.min(suggestion.first, vim.api.nvim_buf_line_count(0) - 1)
  local line = vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]
  local column = 0
  if row == suggestion.edit.range.start.line then
    column = lsp.to_byte(line, lsp.encoding(suggestion.client), suggestion.edit.range.start.character)
  end
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  vim.cmd('normal! zv')
end

--- @param suggestion tandem.NextEdit
local function apply(suggestion)
  local edit, encoding = suggestion.edit, lsp.encoding(suggestion.client)
  M.clear()
  vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, suggestion.bufnr, encoding)
  -- To the end of the new text.
  local lines = vim.split(edit.text:gsub('\n$', ''), '\n', { plain = true })
  local row = math.min(edit.range.start.line + #lines, vim.api.nvim_buf_line_count(suggestion.bufnr))
  local line = vim.api.nvim_buf_get_lines(suggestion.bufnr, row - 1, row, false)[1]
  -- In normal mode the cursor is on the last character, in insert mode behind it.
  local column = #lines[#lines] - (vim.api.nvim_get_mode().mode == 'n' and 1 or 0)
  if #lines == 1 then
    column = column + lsp.to_byte(line, encoding, edit.range.start.character)
  end
  vim.api.nvim_win_set_cursor(0, { row, math.max(0, math.min(column, #line)) })
  report_accepted(suggestion.client, { edit }, suggestion.bufnr)
  request_edit(suggestion.kind, { silent = true })
end

--- Applies edits of one file; one undo takes them back.
--- @param client vim.lsp.Client
--- @param edits tandem.Edit[] At least one
--- @return string done What was done
local function apply_edits(client, edits)
  local uri = edits[1].textDocument.uri
  local bufnr = vim.uri_to_bufnr(uri)
  vim.fn.bufload(bufnr)
  local changes = vim.tbl_map(function(edit)
    return { range = edit.range, newText = edit.text }
  end, edits)
  vim.lsp.util.apply_text_edits(changes, bufnr, lsp.encoding(client))
  vim.bo[bufnr].buflisted = true
  local elsewhere = bufnr ~= vim.api.nvim_get_current_buf()
  local where = elsewhere and ' in ' .. vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.') or ''
  return ('applied %d edit%s%s'):format(#edits, #edits == 1 and '' or 's', where)
end

--- Goes on with what is known in files that are not open: it goes into a plan, or is listed with what is shown.
--- @param client vim.lsp.Client
--- @param bufnr integer The current buffer
--- @param left? tandem.Left
--- @param suggestion? tandem.NextEdit What was shown
local function go_on(client, bufnr, left, suggestion)
  local is_elsewhere = suggestion and suggestion.bufnr ~= bufnr
  local all = left_over.with(left, is_elsewhere and suggestion.edit or nil)
  if not left_over.go_on(client, all) then
    return notify.echo('no next edit (:Tandem why)')
  end
  if is_elsewhere and not all.instruction then
    show(suggestion)
  end
  for _, place in ipairs(not all.instruction and all.places or {}) do
    listed[place.uri] = true
  end
end

--- Applies all remaining edits of one file, or has the language's own server make the rename that they follow from. What
--- is known in files that are not open is listed, or goes into a plan.
function M.apply_all()
  local kind = here() and here().kind or INVOKED
  -- Edits in a file that is not open are not sent as a whole.
  local suggestion = here()
  suggestion = suggestion and is_current(suggestion) and suggestion or nil
  local shown = suggestion and suggestion.edit
  local left = suggestion and suggestion.left or left_over.current()
  ask({ triggerKind = INVOKED, all = true }, function(client, answer, bufnr)
    local edits = answer.edits
    local rename = (edits[1] or shown or left or {}).rename
    local texts = edits[1] and base_of(edits[1], bufnr)
    local outcome, done
    if rename then
      outcome, done = require('tandem.rename').run(rename, lsp.encoding(client))
    end
    if outcome == 'stopped' then
      return notify.echo('nothing was renamed, because you kept typing')
    elseif not outcome and not (texts and base.holds(texts)) then
      return go_on(client, bufnr, left, suggestion)
    end
    done = done or apply_edits(client, edits)
    report_accepted(client, edits, bufnr)
    notify.echo(done)
    request_edit(kind, { silent = true })
  end)
end

--- Shows the edit again that was dismissed last.
function M.restore()
  request_edit(INVOKED, { dismissed = true })
end

--- Jumps to the next edit, or applies it if the cursor is there. Must be called where the text is not locked.
function M.step()
  local suggestion = here()
  if not suggestion then
    return request_edit(INVOKED)
  end
  if not is_current(suggestion) then
    M.clear()
    return request_edit(INVOKED)
  end
  if drawing.is_at_cursor(suggestion) then
    apply(suggestion)
  else
    jump(suggestion)
  end
end

--- Calls [M.step]; `expr` mappings may use it.
--- @return boolean visible false if there is no next edit
function M.go()
  if not here() then
    return false
  end
  local keys = vim.keycode('<Cmd>lua require("tandem.next_edit").step()<CR>')
  vim.api.nvim_feedkeys(keys, 'ni', false)
  return true
end

--- Clears the edit and reports the rejection to the server.
--- @return boolean dismissed false if there was none
function M.dismiss()
  requests.cancel()
  if not here() then
    return false
  end
  lsp.execute(current.client, 'tandem.reject', current.edit.id, current.origin_bufnr)
  M.clear()
  return true
end

--- @param group integer The group for autocommands
function M.setup(group)
  ghost.yields_to(function()
    return here() ~= nil
  end)
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'TextChanged', 'InsertLeave' }, function(event)
    if here() and not is_current(here()) then
      M.clear()
    end
    if not here() then
      request_for(event.buf)
    end
  end)
  on({ 'InsertEnter', 'TextChangedI' }, function(event)
    if insert.is_on() and requests.is_asked(event.buf) then
      -- What is shown or requested is of this text: an edit was applied in insert mode, or nothing was typed yet.
      return
    end
    requests.cancel()
    -- What is typed into a prompt is no change of a file.
    if lsp.client(event.buf) then
      M.clear()
      if event.event == 'TextChangedI' then
        insert.after_pause(function()
          request_edit(AUTOMATIC, { silent = true })
        end)
      end
    end
  end)
  on({ 'CursorMoved', 'CursorMovedI' }, function()
    if here() then
      drawing.hint(here())
    end
  end)
  on('BufLeave', function()
    requests.cancel()
    if here() then
      drawing.clear_hint(here())
    end
  end)
  on('BufEnter', function()
    if here() and is_current(here()) then
      drawing.hint(here())
    elseif here() then
      M.clear()
    end
  end)
  -- A file that was not open is attached a moment after it is entered.
  on({ 'BufEnter', 'LspAttach' }, function(event)
    local uri = vim.uri_from_bufnr(event.buf)
    if listed[uri] and event.buf == vim.api.nvim_get_current_buf() and lsp.client(event.buf) then
      listed[uri] = nil
      request_soon(INVOKED)
    elseif
      event.event == 'LspAttach'
      and event.buf == vim.api.nvim_get_current_buf()
      and vim.bo[event.buf].modified
    then
      -- It may have been edited before the server was ready.
      request_for(event.buf)
    end
  end)
  on('LspDetach', function(event)
    if current and current.client.id == event.data.client_id then
      M.clear()
    end
  end)
end

return M
