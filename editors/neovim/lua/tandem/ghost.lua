--- Ghost text: asked for while the user types, drawn at the cursor, and true after every key.
---
--- It is drawn here on every version of Neovim, also where `vim.lsp.inline_completion` exists (0.12). That one waits
--- for 200 ms, cannot be asked by hand, cannot take a word or a line, goes on showing a suggestion at its old place until
--- the next answer, and shows answers that were made for an older text. Setting each of these right from outside takes more
--- than drawing, and 0.10 needs the drawing anyway.

local draw = require('tandem.draw')
local items = require('tandem.item')
local lsp = require('tandem.lsp')
local options = require('tandem.options')
local say = require('tandem.say')

local M = {}

local namespace = vim.api.nvim_create_namespace('tandem.ghost')

--- LSP's InlineCompletionTriggerKind.
local INVOKED, AUTOMATIC = 1, 2

--- @class tandem.Ghost
--- @field client vim.lsp.Client
--- @field bufnr integer
--- @field items tandem.Item[]
--- @field index integer The one on screen
--- @field complete boolean Whether the server has given all that it has

--- @type tandem.Ghost? What is on screen
local ghost
--- @class tandem.Question
--- @field client vim.lsp.Client
--- @field request integer?

--- @type tandem.Question? What the server was asked last, and has not answered
local question
--- Counts how often all that was asked became unwanted.
local era = 0
local timer = assert(vim.uv.new_timer())

--- Whether ghost text is shown in a buffer.
--- @param bufnr integer
--- @return boolean
function M.is_on(bufnr)
  return options.current.ghost_text and vim.b[bufnr].tandem_ghost_text ~= false and lsp.client(bufnr) ~= nil
end

local function in_insert_mode()
  return vim.startswith(vim.api.nvim_get_mode().mode, 'i')
end

--- Whether a completion menu stands in the way.
local function menu_is_in_the_way()
  if vim.fn.pumvisible() == 1 then
    -- A chosen entry is in the text while it is chosen.
    return options.current.hide_with_menu or vim.fn.complete_info({ 'selected' }).selected ~= -1
  end
  if not options.current.hide_with_menu then
    return false
  end
  local cmp, blink = package.loaded['cmp'], package.loaded['blink.cmp']
  return cmp ~= nil and cmp.visible() or blink ~= nil and blink.is_menu_visible() or false
end

--- @return tandem.Item?
local function current()
  return ghost and ghost.items[ghost.index]
end

function M.clear()
  if ghost and vim.api.nvim_buf_is_valid(ghost.bufnr) then
    vim.api.nvim_buf_clear_namespace(ghost.bufnr, namespace, 0, -1)
  end
  ghost = nil
end

--- Draws what is left of the suggestion, or takes it from the screen.
--- @return boolean visible
local function show()
  local item = current()
  if not ghost or not item then
    return false
  end
  local typed, rest
  if
    vim.api.nvim_get_current_buf() == ghost.bufnr
    and in_insert_mode()
    and M.is_on(ghost.bufnr)
    and not menu_is_in_the_way()
  then
    typed, rest = items.remaining(item)
  end
  if not typed or not rest then
    M.clear()
    return false
  end
  local hint = #ghost.items > 1 and ('  (%d/%d)'):format(ghost.index, #ghost.items) or nil
  vim.api.nvim_buf_clear_namespace(ghost.bufnr, namespace, 0, -1)
  draw.ghost(ghost.bufnr, namespace, item.row, item.from + #typed, rest, item.replaced, hint)
  if item.id and not item.announced then
    item.announced = true
    lsp.notify(ghost.client, 'tandem/didShow', { item = item.id })
  end
  return true
end

--- Whether ghost text is on screen, and fits what was typed.
--- @return boolean
function M.is_visible()
  return show()
end

--- Nothing is awaited any more.
local function give_up()
  timer:stop()
  era = era + 1
  local asked = question
  question = nil
  if asked and asked.request then
    lsp.cancel(asked.client, asked.request)
  end
end

--- Asks the server.
--- @param kind integer
--- @param shown? fun(found: boolean) Called once the answer is on screen
local function ask(kind, shown)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = lsp.client(bufnr)
  if not client or not in_insert_mode() or not M.is_on(bufnr) or not vim.bo[bufnr].modifiable then
    return
  end
  if menu_is_in_the_way() then
    return
  end
  timer:stop()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local encoding = lsp.encoding(client)
  local asked = { row = row - 1, column = column, line = vim.api.nvim_get_current_line(), encoding = encoding }
  local params = {
    textDocument = lsp.document(bufnr),
    position = lsp.position(client),
    context = { triggerKind = kind },
  }
  local mine, asked_in = { client = client }, era
  question = mine
  mine.request = lsp.request(client, 'textDocument/inlineCompletion', params, bufnr, function(err, result)
    local newest = question == mine
    if newest then
      question = nil
    end
    if err or era ~= asked_in or vim.api.nvim_get_current_buf() ~= bufnr or not lsp.is_attached(client, bufnr) then
      return
    end
    local found = {}
    for _, offered in ipairs(result and (result.items or result) or {}) do
      local item = items.read(offered, asked)
      -- What was typed since may be the beginning of it.
      if item and items.remaining(item) then
        table.insert(found, item)
      end
    end
    -- While a newer question is out, an older answer may serve, and ends nothing.
    if not newest and (#found == 0 or ghost) then
      return
    end
    M.clear()
    if #found > 0 then
      ghost = { client = client, bufnr = bufnr, items = found, index = 1, complete = kind == INVOKED }
    end
    local visible = show()
    if shown then
      shown(visible)
    end
  end)
end

local function ask_soon()
  timer:start(
    options.current.debounce,
    0,
    vim.schedule_wrap(function()
      if not ghost then
        ask(AUTOMATIC)
      end
    end)
  )
end

--- After each key: what is left takes the place of what was there, and where nothing is left, the server is asked.
local function follow()
  if not show() then
    ask_soon()
  end
end

--- Asks by hand, for all that the server has.
function M.suggest()
  ask(INVOKED, function(found)
    if not found then
      say.echo('no suggestion here (:Tandem why)')
    end
  end)
end

--- Shows another suggestion in place of this one. The first time, the server is asked for more of them.
--- @param count integer How many further; negative for back
function M.select(count)
  local item = current()
  if not ghost or not item or not show() then
    return M.suggest()
  end
  if ghost.complete then
    ghost.index = (ghost.index - 1 + count) % #ghost.items + 1
    show()
    return
  end
  local before = item.text
  ask(INVOKED, function(found)
    if not found or not ghost then
      return
    elseif #ghost.items == 1 and ghost.items[1].text == before then
      say.echo('there is no other suggestion')
    elseif ghost.items[1].text == before then
      ghost.index = count % #ghost.items + 1
      show()
    end
  end)
end

local pieces = {
  all = function(text)
    return text
  end,
  word = items.word,
  line = items.line,
}

--- Puts a piece of the suggestion into the text. To be called where the text may be changed.
--- @param piece 'all'|'word'|'line'
function M.insert(piece)
  -- Keys that were typed too fast for an event are followed now.
  local item = show() and current()
  if not ghost or not item then
    return
  end
  local typed, rest = items.remaining(item)
  if not typed or not rest then
    return
  end
  local text = pieces[piece](rest)
  local whole = text == rest
  local column = item.from + #typed
  local lines = vim.split(text, '\n', { plain = true })
  local client, bufnr = ghost.client, ghost.bufnr
  vim.api.nvim_buf_set_text(bufnr, item.row, column, item.row, column + (whole and item.replaced or 0), lines)
  local row = item.row + #lines - 1
  column = (#lines == 1 and column or 0) + #lines[#lines]
  vim.api.nvim_win_set_cursor(0, { row + 1, column })

  item.taken = item.taken + lsp.utf16_length(typed .. text)
  if item.id and piece ~= 'all' then
    lsp.notify(client, 'tandem/didPartiallyAccept', { item = item.id, acceptedLength = item.taken })
  end
  if whole then
    M.clear()
    if item.command then
      lsp.request(client, 'workspace/executeCommand', {
        command = item.command.command,
        arguments = item.command.arguments,
      }, bufnr, function() end)
    end
    return
  end
  item.text, item.row, item.from = rest:sub(#text + 1), row, column
  item.head = vim.api.nvim_get_current_line():sub(1, column)
  -- The others began as this one did before; they no longer do.
  ghost.items, ghost.index, ghost.complete = { item }, 1, true
  show()
end

--- Accepts the suggestion on screen, or a piece of it.
---
--- Not done at once but as the next keys that Neovim reads: so it may be called from an `expr` mapping, where the text
--- is locked, and still comes before whatever was typed behind it. What is accepted is undone by itself.
--- @param piece 'all'|'word'|'line'
--- @return boolean accepted false if there is none
function M.accept(piece)
  if not show() then
    return false
  end
  local keys = ('<C-g>u<Cmd>lua require("tandem.ghost").insert("%s")<CR><C-g>u'):format(piece)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'ni', false)
  return true
end

--- Takes the suggestion from the screen and tells the server that it was not wanted.
--- @return boolean dismissed false if there was none
function M.dismiss()
  local item = show() and current()
  give_up()
  if not ghost or not item then
    return false
  end
  if item.id then
    lsp.execute(ghost.client, 'tandem.reject', item.id, ghost.bufnr)
  end
  M.clear()
  return true
end

--- @param group integer The group for autocommands
function M.setup(group)
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'InsertEnter', 'CursorMovedI', 'TextChangedI', 'TextChangedP', 'CompleteChanged' }, function(event)
    if event.event == 'CompleteChanged' then
      -- The text is locked, and what is chosen not in it yet.
      vim.schedule(show)
    elseif lsp.client(event.buf) then
      follow()
    end
  end)
  on({ 'InsertLeave', 'BufLeave' }, function()
    give_up()
    M.clear()
  end)
  on('LspDetach', function(event)
    if ghost and ghost.client.id == event.data.client_id then
      M.clear()
    end
  end)
  -- Keys that were typed before the server answered are not lost. It takes them for the file as it was, and would not
  -- suggest anything in that by itself.
  on('LspAttach', function(event)
    if event.buf == vim.api.nvim_get_current_buf() and vim.bo[event.buf].modified then
      ask(INVOKED)
    end
  end)
end

return M
