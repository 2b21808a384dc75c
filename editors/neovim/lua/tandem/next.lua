--- Next edits: what the server thinks will be changed next, drawn where it would be.
---
--- Asked for when an edit is done: when insert mode ends, when a command changed the text, and when a next edit was
--- accepted. One key goes there, the same key accepts it. Whatever else changes the text takes it from the screen.

local diff = require('tandem.diff')
local draw = require('tandem.draw')
local lsp = require('tandem.lsp')
local options = require('tandem.options')
local say = require('tandem.say')

local M = {}

local namespace = vim.api.nvim_create_namespace('tandem.next')

--- LSP's trigger kinds, as for ghost text.
local INVOKED, AUTOMATIC = 1, 2

--- How long the text must rest before the server is asked, in ms.
local REST = 100

--- @class tandem.Edit
--- @field id integer
--- @field text string
--- @field range lsp.Range
--- @field textDocument {uri: string, version?: integer}
--- @field command? lsp.Command

--- @class tandem.NextEdit
--- @field client vim.lsp.Client
--- @field edit tandem.Edit As the server sent it
--- @field bufnr integer Where it belongs; it may not be loaded yet
--- @field asked_in integer The buffer that was being edited
--- @field tick integer? That buffer's `changedtick`
--- @field first integer? The first line that changes, counted from 0, once it is drawn
--- @field last integer? The last

--- @type tandem.NextEdit?
local pending
--- @type {client: vim.lsp.Client, request: integer?}?
local question
local timer = assert(vim.uv.new_timer())
--- The text that the server was asked about last.
--- @type {bufnr: integer, tick: integer}?
local asked_about

function M.clear()
  if pending then
    for _, bufnr in ipairs({ pending.bufnr, pending.asked_in }) do
      if vim.api.nvim_buf_is_valid(bufnr) then
        vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
      end
    end
  end
  pending = nil
  vim.on_key(nil, namespace)
end

--- Whether a next edit is on screen.
--- @return boolean
function M.is_visible()
  return pending ~= nil
end

local function give_up()
  timer:stop()
  if question and question.request then
    lsp.cancel(question.client, question.request)
  end
  question = nil
end

--- Whether the text is still the one for which the edit was made.
--- @param found tandem.NextEdit
local function is_current(found)
  local version = found.edit.textDocument.version
  return vim.api.nvim_buf_is_valid(found.asked_in)
    and vim.api.nvim_buf_get_changedtick(found.asked_in) == found.tick
    and (
      type(version) ~= 'number'
      or not vim.api.nvim_buf_is_loaded(found.bufnr)
      or not lsp.client(found.bufnr)
      or vim.lsp.util.buf_versions[found.bufnr] == version
    )
end

--- The whole lines that the edit touches, as they are and as they would be.
--- @param found tandem.NextEdit
--- @return integer row, string[] old, string[] new
local function lines_of(found)
  local range, encoding = found.edit.range, lsp.encoding(found.client)
  local first, last = range.start.line, range['end'].line
  local old = vim.api.nvim_buf_get_lines(found.bufnr, first, last + 1, false)
  local head = (old[1] or ''):sub(1, lsp.to_byte(old[1] or '', encoding, range.start.character))
  local bottom = old[last - first + 1] or ''
  local tail = bottom:sub(lsp.to_byte(bottom, encoding, range['end'].character) + 1)
  local new = vim.split(head .. found.edit.text:gsub('\r\n', '\n') .. tail, '\n', { plain = true })
  -- A range that ends at the beginning of a line behind the last ends with the last.
  if #old == last - first and new[#new] == '' then
    table.remove(new)
  end
  return first, old, new
end

--- Where the edit is, for one who does not see it.
--- @param found tandem.NextEdit
local function draw_hint(found)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local hint
  if found.bufnr ~= found.asked_in then
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(found.bufnr), ':~:.')
    hint = ('next edit: %s:%d'):format(name, found.edit.range.start.line + 1)
  elseif found.first < vim.fn.line('w0') - 1 or found.first > vim.fn.line('w$') - 1 then
    hint = ('next edit: line %d %s'):format(found.first + 1, found.first < row and '↑' or '↓')
  end
  if hint then
    vim.api.nvim_buf_set_extmark(found.asked_in, namespace, row, 0, {
      virt_text = { { ' ' .. hint .. ' ', 'TandemHint' } },
      virt_text_pos = 'right_align',
    })
  end
end

--- Draws the edit, if its file is open.
--- @param found tandem.NextEdit
--- @return boolean changes false if it changes nothing
local function draw_edit(found)
  found.first, found.last = found.edit.range.start.line, found.edit.range['end'].line
  if not vim.api.nvim_buf_is_loaded(found.bufnr) then
    return true
  end
  local row, old, new = lines_of(found)
  local hunks = diff.hunks(old, new)
  if #hunks == 0 then
    return false
  end
  local final = hunks[#hunks]
  found.first = row + hunks[1].row
  found.last = math.max(found.first, row + final.row + #final.removed - 1)
  draw.hunks(found.bufnr, namespace, row, hunks)
  local last_row = vim.api.nvim_buf_line_count(found.bufnr) - 1
  vim.api.nvim_buf_set_extmark(found.bufnr, namespace, math.min(found.first, last_row), 0, {
    sign_text = '▸',
    sign_hl_group = 'TandemSign',
  })
  return true
end

--- Escape in normal mode says that an edit is not wanted. The key does what it does otherwise, too.
local function watch_escape()
  local escape = vim.keycode('<Esc>')
  vim.on_key(function(key, typed)
    if (typed or key) == escape and vim.api.nvim_get_mode().mode == 'n' then
      vim.schedule(M.dismiss)
    end
  end, namespace)
end

--- @param found tandem.NextEdit
local function show(found)
  M.clear()
  pending = found
  if not draw_edit(found) then
    M.clear()
    return
  end
  draw_hint(found)
  watch_escape()
  lsp.notify(found.client, 'tandem/didShow', { item = found.edit.id })
end

--- Asks the server.
--- @param kind integer
local function ask(kind)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = lsp.client(bufnr)
  if not client or not vim.bo[bufnr].modifiable or vim.bo[bufnr].readonly then
    return
  end
  give_up()
  M.clear()
  local params = {
    textDocument = lsp.document(bufnr),
    position = lsp.position(client),
    context = { triggerKind = kind },
  }
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  asked_about = { bufnr = bufnr, tick = tick }
  local mine = { client = client }
  question = mine
  mine.request = lsp.request(client, 'tandem/nextEdit', params, bufnr, function(err, result)
    if question ~= mine then
      return
    end
    question = nil
    local edit = not err and result and result.edits and result.edits[1]
    if not edit then
      if kind == INVOKED then
        say.echo(err and err.message or 'no next edit (:Tandem why)')
      end
      return
    end
    local found = {
      client = client,
      edit = edit,
      bufnr = vim.uri_to_bufnr(edit.textDocument.uri),
      asked_in = bufnr,
      tick = tick,
    }
    -- Late: what was changed meanwhile asks by itself.
    local still_here = vim.api.nvim_get_current_buf() == bufnr and lsp.is_attached(client, bufnr)
    if still_here and vim.api.nvim_get_mode().mode == 'n' and is_current(found) then
      show(found)
    end
  end)
end

local function ask_soon()
  if options.current.next_edit then
    timer:start(
      REST,
      0,
      vim.schedule_wrap(function()
        if vim.api.nvim_get_mode().mode == 'n' then
          ask(AUTOMATIC)
        end
      end)
    )
  end
end

--- @param found tandem.NextEdit
local function is_at(found)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  return vim.api.nvim_get_current_buf() == found.bufnr and row >= found.first and row <= found.last
end

--- @param found tandem.NextEdit
local function jump(found)
  -- Leaves a mark to come back to.
  vim.cmd("normal! m'")
  local elsewhere = vim.api.nvim_get_current_buf() ~= found.bufnr
  if elsewhere then
    -- Drawn already, and asked in the other buffer: leaving that one must not end it.
    vim.bo[found.bufnr].buflisted = true
    vim.api.nvim_win_set_buf(0, found.bufnr)
    found.asked_in = found.bufnr
    found.tick = vim.api.nvim_buf_get_changedtick(found.bufnr)
    show(found)
  end
  local row = math.min(found.first, vim.api.nvim_buf_line_count(0) - 1)
  local line = vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]
  local column = 0
  if row == found.edit.range.start.line then
    column = lsp.to_byte(line, lsp.encoding(found.client), found.edit.range.start.character)
  end
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  vim.cmd('normal! zv')
end

--- @param found tandem.NextEdit
local function apply(found)
  local edit, encoding = found.edit, lsp.encoding(found.client)
  M.clear()
  vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, found.bufnr, encoding)
  -- To the end of what is new, where the eyes are.
  local lines = vim.split(edit.text:gsub('\n$', ''), '\n', { plain = true })
  local row = math.min(edit.range.start.line + #lines, vim.api.nvim_buf_line_count(found.bufnr))
  local line = vim.api.nvim_buf_get_lines(found.bufnr, row - 1, row, false)[1]
  local column = #lines[#lines] - 1
  if #lines == 1 then
    column = column + lsp.to_byte(line, encoding, edit.range.start.character)
  end
  vim.api.nvim_win_set_cursor(0, { row, math.max(0, math.min(column, #line)) })
  if edit.command then
    lsp.request(found.client, 'workspace/executeCommand', {
      command = edit.command.command,
      arguments = edit.command.arguments,
    }, found.bufnr, function() end)
  end
  ask(AUTOMATIC)
end

--- Goes to the next edit, or if the cursor is there, makes it. To be called where the text may be changed.
function M.step()
  local found = pending
  if not found then
    return ask(INVOKED)
  end
  if not is_current(found) then
    M.clear()
    return ask(INVOKED)
  end
  if is_at(found) then
    apply(found)
  else
    jump(found)
  end
end

--- As [M.step], from an `expr` mapping as well.
--- @return boolean visible false if there is no next edit, and nothing is done
function M.go()
  if not pending then
    return false
  end
  local keys = vim.keycode('<Cmd>lua require("tandem.next").step()<CR>')
  vim.api.nvim_feedkeys(keys, 'ni', false)
  return true
end

--- Takes the edit from the screen and tells the server that it was not wanted.
--- @return boolean dismissed false if there was none
function M.dismiss()
  give_up()
  if not pending then
    return false
  end
  lsp.execute(pending.client, 'tandem.reject', pending.edit.id, pending.asked_in)
  M.clear()
  return true
end

--- @param group integer The group for autocommands
function M.setup(group)
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'TextChanged', 'InsertLeave' }, function(event)
    if pending and not is_current(pending) then
      M.clear()
    end
    local now = { bufnr = event.buf, tick = vim.api.nvim_buf_get_changedtick(event.buf) }
    -- An edit that was accepted has asked already.
    if lsp.client(event.buf) and not pending and not vim.deep_equal(now, asked_about) then
      ask_soon()
    end
  end)
  on({ 'InsertEnter', 'TextChangedI' }, function()
    give_up()
    M.clear()
  end)
  on('BufLeave', function()
    give_up()
    -- A jump to another file comes through here and draws again.
    M.clear()
  end)
  on('LspDetach', function(event)
    if pending and pending.client.id == event.data.client_id then
      M.clear()
    end
  end)
end

return M
