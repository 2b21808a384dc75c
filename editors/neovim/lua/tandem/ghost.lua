--- Ghost text: requested while the user types, drawn at the cursor, and updated after every key.
---
--- It does not use `vim.lsp.inline_completion` (Neovim 0.12), which waits for 200 ms, has no explicit requests and no
--- partial accept, keeps a suggestion at its old position until the next answer, and shows outdated answers. Working
--- around these takes more code than drawing, which Neovim 0.10 needs anyway.

local decorations = require('tandem.decorations')
local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local options = require('tandem.options')
local silence = require('tandem.silence')
local suggestions = require('tandem.suggestion')

local M = {}

local namespace = vim.api.nvim_create_namespace('tandem.ghost')

--- LSP's InlineCompletionTriggerKind.
local INVOKED, AUTOMATIC = 1, 2

--- @class tandem.Ghost
--- @field client vim.lsp.Client
--- @field bufnr integer
--- @field items tandem.Suggestion[]
--- @field index integer The suggestion on screen
--- @field has_all boolean Whether these answer an explicit request, which returns all suggestions
--- @field provisional boolean Whether a model is asked for the text on screen, which may take its place

--- @type tandem.Ghost? The suggestions on screen
local ghost
--- @type tandem.Ghost? What was dismissed last
local dismissed
--- @class tandem.PendingRequest
--- @field client vim.lsp.Client
--- @field request integer?

--- @type tandem.PendingRequest? The newest request without an answer
local pending
--- Incremented by each cancellation; answers to requests of an older generation are ignored.
local generation = 0
local timer = assert(vim.uv.new_timer())
--- Whether something else is on screen in whose place no automatic ghost text is shown.
--- @type fun(): boolean
local yields = function()
  return false
end

--- Sets what automatic ghost text yields to.
--- @param is_on_screen fun(): boolean
function M.yields_to(is_on_screen)
  yields = is_on_screen
end

--- Whether an answer is awaited, or a request scheduled.
--- @return boolean
function M.is_pending()
  return pending ~= nil or timer:is_active()
end

--- Whether ghost text is shown in a buffer.
--- @param bufnr integer
--- @return boolean
function M.is_on(bufnr)
  return options.current.ghost_text and vim.b[bufnr].tandem_ghost_text ~= false and lsp.client(bufnr) ~= nil
end

local function in_insert_mode()
  return vim.startswith(vim.api.nvim_get_mode().mode, 'i')
end

--- Whether a completion menu hides ghost text.
local function is_hidden_by_menu()
  if vim.fn.pumvisible() == 1 then
    -- Neovim inserts a selected entry while it is selected.
    return options.current.hide_with_menu or vim.fn.complete_info({ 'selected' }).selected ~= -1
  end
  if not options.current.hide_with_menu then
    return false
  end
  local cmp, blink = package.loaded['cmp'], package.loaded['blink.cmp']
  return cmp ~= nil and cmp.visible() or blink ~= nil and blink.is_menu_visible() or false
end

--- @return tandem.Suggestion?
local function current()
  return ghost and ghost.items[ghost.index]
end

function M.clear()
  if ghost and vim.api.nvim_buf_is_valid(ghost.bufnr) then
    vim.api.nvim_buf_clear_namespace(ghost.bufnr, namespace, 0, -1)
  end
  ghost = nil
end

--- Draws the remainder of the suggestion, or clears it if it no longer fits.
--- @return boolean visible
local function render()
  local suggestion = current()
  if not ghost or not suggestion then
    return false
  end
  local typed, rest
  if
    vim.api.nvim_get_current_buf() == ghost.bufnr
    and in_insert_mode()
    and M.is_on(ghost.bufnr)
    and not is_hidden_by_menu()
  then
    typed, rest = suggestions.remaining(suggestion)
  end
  if not typed or not rest then
    M.clear()
    return false
  end
  local hint = #ghost.items > 1 and ('  (%d/%d)'):format(ghost.index, #ghost.items) or nil
  vim.api.nvim_buf_clear_namespace(ghost.bufnr, namespace, 0, -1)
  decorations.ghost(ghost.bufnr, namespace, suggestion.row, suggestion.from + #typed, rest, suggestion.replaced, hint)
  if suggestion.id and not suggestion.announced then
    suggestion.announced = true
    silence.reset()
    lsp.notify(ghost.client, 'tandem/didShow', { item = suggestion.id })
  end
  return true
end

--- Whether ghost text is on screen and still fits the text.
--- @return boolean
function M.is_visible()
  return render()
end

--- Cancels the pending request and the scheduled one.
local function cancel_pending()
  timer:stop()
  generation = generation + 1
  local cancelled = pending
  pending = nil
  if cancelled and cancelled.request then
    lsp.cancel(cancelled.client, cancelled.request)
  end
end

--- Requests suggestions.
--- @param kind integer
--- @param shown? fun(found: boolean) Called after the answer was drawn
local function request_items(kind, shown)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = lsp.client(bufnr)
  if not client or not in_insert_mode() or not M.is_on(bufnr) or not vim.bo[bufnr].modifiable then
    return
  end
  if is_hidden_by_menu() or kind == AUTOMATIC and yields() then
    return
  end
  timer:stop()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local encoding = lsp.encoding(client)
  local origin = { row = row - 1, column = column, line = vim.api.nvim_get_current_line(), encoding = encoding }
  local params = {
    textDocument = lsp.document(bufnr),
    position = lsp.position(client),
    context = { triggerKind = kind },
  }
  local sent, sent_in = { client = client }, generation
  pending = sent
  sent.request = lsp.request(client, 'textDocument/inlineCompletion', params, bufnr, function(err, result)
    local is_newest = pending == sent
    if is_newest then
      pending = nil
    end
    if
      err
      or generation ~= sent_in
      or vim.api.nvim_get_current_buf() ~= bufnr
      or not lsp.is_attached(client, bufnr)
    then
      return
    end
    local found, provisional = {}, false
    for _, returned in ipairs(result and (result.items or result) or {}) do
      provisional = provisional or returned.isProvisional == true
      local suggestion = suggestions.read(returned, origin)
      -- It still fits if the text typed since is its beginning.
      if suggestion and suggestions.remaining(suggestion) then
        table.insert(found, suggestion)
      end
    end
    -- While a newer request is pending, an older answer may fill an empty screen, but clears nothing.
    if not is_newest and (#found == 0 or ghost) then
      return
    end
    -- The text on screen stays where the server has nothing in its place.
    if #found == 0 and kind == AUTOMATIC and ghost and render() then
      ghost.provisional = false
      return
    end
    M.clear()
    if #found > 0 then
      ghost = {
        client = client,
        bufnr = bufnr,
        items = found,
        index = 1,
        has_all = kind == INVOKED,
        provisional = provisional,
      }
    end
    local visible = render()
    if shown then
      shown(visible)
    end
  end)
end

local function request_soon()
  timer:start(
    options.current.debounce,
    0,
    vim.schedule_wrap(function()
      if not ghost or ghost.provisional then
        request_items(AUTOMATIC)
      end
    end)
  )
end

--- Updates the ghost text after a key: draws the remainder, and requests suggestions if none is left or another one may
--- take its place.
local function update()
  if not render() or ghost and ghost.provisional then
    request_soon()
  end
end

--- For the client's configuration.
M.handlers = {
  -- Something takes the place of the prediction on screen.
  ['tandem/ghostTextChanged'] = function(_, changed, ctx)
    local document = changed.textDocument
    local is_current = ghost
      and not ghost.has_all
      and not pending
      and ghost.client.id == ctx.client_id
      and vim.deep_equal(document, lsp.document(ghost.bufnr))
    if is_current and render() then
      request_items(AUTOMATIC)
    end
  end,
}

--- Requests all suggestions explicitly.
function M.suggest()
  request_items(INVOKED, function(found)
    if not found then
      notify.echo('no suggestion here (:Tandem why)')
    end
  end)
end

--- Shows another suggestion. The first call requests all of them.
--- @param count integer How many to go forward; negative to go back
function M.select(count)
  local suggestion = current()
  if not ghost or not suggestion or not render() then
    return M.suggest()
  end
  if ghost.has_all then
    ghost.index = (ghost.index - 1 + count) % #ghost.items + 1
    render()
    return
  end
  local before = suggestion.text
  request_items(INVOKED, function(found)
    if not found or not ghost then
      return
    elseif #ghost.items == 1 and ghost.items[1].text == before then
      notify.echo('there is no other suggestion')
    elseif ghost.items[1].text == before then
      ghost.index = count % #ghost.items + 1
      render()
    end
  end)
end

--- The part of a text to accept, by name.
local parts = {
  all = function(text)
    return text
  end,
  word = suggestions.word,
  line = suggestions.line,
}

--- Inserts a part of the suggestion. Must be called where the text is not locked.
--- @param part 'all'|'word'|'line'
function M.insert(part)
  -- Fast keys may not have caused an event yet.
  local suggestion = render() and current()
  if not ghost or not suggestion then
    return
  end
  local typed, rest = suggestions.remaining(suggestion)
  if not typed or not rest then
    return
  end
  local text = parts[part](rest)
  local whole = text == rest
  local column = suggestion.from + #typed
  local lines = vim.split(text, '\n', { plain = true })
  local client, bufnr = ghost.client, ghost.bufnr
  vim.api.nvim_buf_set_text(
    bufnr,
    suggestion.row,
    column,
    suggestion.row,
    column + (whole and suggestion.replaced or 0),
    lines
  )
  local row = suggestion.row + #lines - 1
  column = (#lines == 1 and column or 0) + #lines[#lines]
  vim.api.nvim_win_set_cursor(0, { row + 1, column })

  suggestion.accepted = suggestion.accepted + lsp.utf16_length(typed .. text)
  if suggestion.id and part ~= 'all' then
    lsp.notify(client, 'tandem/didPartiallyAccept', { item = suggestion.id, acceptedLength = suggestion.accepted })
  end
  if whole then
    M.clear()
    if suggestion.command then
      lsp.request(client, 'workspace/executeCommand', {
        command = suggestion.command.command,
        arguments = suggestion.command.arguments,
      }, bufnr, function() end)
    end
    return
  end
  suggestion.text, suggestion.row, suggestion.from = rest:sub(#text + 1), row, column
  suggestion.prefix = vim.api.nvim_get_current_line():sub(1, column)
  -- The other suggestions do not continue the accepted part.
  ghost.items, ghost.index, ghost.has_all, ghost.provisional = { suggestion }, 1, true, false
  render()
end

--- Accepts the suggestion on screen, or a part of it.
---
--- The insertion is queued as the next keys that Neovim reads. So `expr` mappings, where the text is locked, can call
--- this, and the insertion precedes keys typed later. Each accepted part is one undo step.
--- @param part 'all'|'word'|'line'
--- @return boolean accepted false if there is none
function M.accept(part)
  if not render() then
    return false
  end
  local keys = ('<C-g>u<Cmd>lua require("tandem.ghost").insert("%s")<CR><C-g>u'):format(part)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'ni', false)
  return true
end

--- Clears the suggestion and reports the rejection to the server.
--- @return boolean dismissed false if there was none
function M.dismiss()
  local suggestion = render() and current()
  cancel_pending()
  if not ghost or not suggestion then
    return false
  end
  if suggestion.id then
    lsp.execute(ghost.client, 'tandem.reject', suggestion.id, ghost.bufnr)
  end
  dismissed = ghost
  M.clear()
  return true
end

--- Shows the ghost text again that was dismissed last, where it still fits.
function M.restore()
  cancel_pending()
  M.clear()
  ghost = dismissed
  if not render() then
    notify.echo('no dismissed suggestion fits here')
  end
end

--- @param group integer The group for autocommands
function M.setup(group)
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'InsertEnter', 'CursorMovedI', 'TextChangedI', 'TextChangedP', 'CompleteChanged' }, function(event)
    if event.event == 'CompleteChanged' then
      -- The text is locked, and the selected entry is not inserted yet.
      vim.schedule(render)
    elseif lsp.client(event.buf) then
      update()
    end
  end)
  on({ 'InsertLeave', 'BufLeave' }, function()
    cancel_pending()
    M.clear()
  end)
  on('LspDetach', function(event)
    if ghost and ghost.client.id == event.data.client_id then
      M.clear()
    end
  end)
  -- Keys may have been typed while the server started. It sees them as the initial text, for which automatic requests
  -- have no result; hence the explicit one.
  on('LspAttach', function(event)
    if event.buf == vim.api.nvim_get_current_buf() and vim.bo[event.buf].modified then
      request_items(INVOKED)
    end
  end)
end

return M
