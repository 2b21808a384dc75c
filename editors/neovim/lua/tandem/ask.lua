--- Questions about the project: an answer that grows in a window, above the lines that it names.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local pending = require('tandem.pending')
local server = require('tandem.server')
local window = require('tandem.window')

local M = {}

--- The last question.
--- @type {request: tandem.Pending?, token: string, window: integer, bufnr: integer?, text: string}?
local question
--- How many questions were put.
local count = 0

--- Replaces the lines of the answer's window, or opens it.
--- @param sent table
--- @param lines string[]
local function show(sent, lines)
  if not sent.bufnr then
    sent.bufnr = window.open('answer', lines, 'markdown')
    return
  end
  if not vim.api.nvim_buf_is_valid(sent.bufnr) then
    return
  end
  vim.bo[sent.bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(sent.bufnr, 0, -1, false, lines)
  vim.bo[sent.bufnr].modifiable = false
  local shown = vim.fn.bufwinid(sent.bufnr)
  if shown ~= -1 then
    window.fit(shown)
  end
end

--- @param text string
--- @return string[]
local function lines_of(text)
  return vim.split(text, '\n', { plain = true, trimempty = true })
end

--- Jumps to a place, in the window from which the question was put if that is still there.
--- @param from integer
--- @param place table `{uri, range}`
local function jump(from, place)
  if vim.api.nvim_win_is_valid(from) then
    vim.api.nvim_set_current_win(from)
  end
  vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(place.uri)))
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(place.range.start.line + 1, last), 0 })
end

--- The place that a line of the text names: the one at a byte, or else the first.
--- @param line string
--- @param column integer Counted from 0
--- @param places table[] Each with a path
--- @return table?
local function named(line, column, places)
  local first, found
  for _, place in ipairs(places) do
    local name = ('%s:%d'):format(place.path or '', place.range.start.line + 1)
    local from = 0
    repeat
      local to
      from, to = line:find(name, from + 1, true)
      -- Line 1 is not line 12, and `a.rs` is not `data.rs`.
      local before = from and line:sub(1, from - 1):gsub('%./$', '')
      if from and not line:find('^%d', to + 1) and not before:find('[%w_./-]$') then
        if column >= from - 1 and column < to then
          return place
        elseif not first or from < first then
          first, found = from, place
        end
      end
    until not from
  end
  return found
end

--- The lines below an answer, and the places that they name.
--- @param result table The answer to `tandem.ask`
--- @return string[] lines
--- @return table[] places
local function listed(result)
  local lines, places = {}, {}
  local reply = type(result.reply) == 'table' and result.reply or nil
  for _, it in ipairs(reply and reply.places or result.answers or {}) do
    local path = it.path or vim.fn.fnamemodify(vim.uri_to_fname(it.uri), ':.')
    local text = it.text or it.signature or ''
    table.insert(lines, ('%s:%d: %s'):format(path, it.range.start.line + 1, text))
    table.insert(places, it)
  end
  return lines, places
end

--- @param sent table
--- @param result table
local function finish(sent, result)
  local reply = type(result.reply) == 'table' and result.reply or nil
  local lines = reply and lines_of(reply.text) or {}
  local below, places = listed(result)
  if #lines > 0 and #below > 0 then
    table.insert(lines, '')
  end
  local first = #lines + 1
  vim.list_extend(lines, below)
  if #lines == 0 then
    return notify.echo('no name and no doc comment in the project matches the question')
  end
  show(sent, lines)
  if vim.api.nvim_buf_is_valid(sent.bufnr) then
    vim.keymap.set('n', '<CR>', function()
      local row, column = unpack(vim.api.nvim_win_get_cursor(0))
      local place = places[row - first + 1] or named(vim.api.nvim_get_current_line(), column, places)
      if place then
        jump(sent.window, place)
      else
        notify.echo('this line cites no line')
      end
    end, { buffer = sent.bufnr, nowait = true, desc = 'Jump to this place' })
  end
end

--- Shows more of an answer as it comes.
--- @param params table The parameters of `$/progress`
--- @return boolean taken false if it is of something else
function M.progress(params)
  if not question or params.token ~= question.token then
    return false
  end
  question.text = question.text .. (params.value.text or '')
  local lines = lines_of(question.text)
  -- What comes behind a cancelled question is not shown.
  if #lines > 0 and question.request and not question.request.is_over then
    show(question, lines)
  end
  return true
end

--- Asks about the project; without words, about the name under the cursor.
--- @param words? string
function M.ask(words)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.require_client(bufnr)
  if not client then
    return
  end
  count = count + 1
  local token = ('tandem-ask-%d'):format(count)
  local sent = { token = token, window = vim.api.nvim_get_current_win(), text = '' }
  local argument = { question = words, reply = true, partialResultToken = token }
  if not words then
    argument.textDocument, argument.position = lsp.document(bufnr), lsp.position(client)
  end
  question = sent
  sent.request = pending.execute(client, bufnr, 'tandem.ask', argument, 'asking', function(result)
    finish(sent, result)
  end)
end

return M
