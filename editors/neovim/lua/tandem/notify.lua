--- Messages to the user. A problem is reported once for each cause, with the remedy.
---
--- A message never stops the editor at "Press ENTER": one that does not fit the last line is shown shortened, and
--- is whole in `:messages`, line by line. A `vim.notify` of another plugin has room of its own, and gets the
--- whole text.

local M = {}

local HIGHLIGHTS = { [vim.log.levels.WARN] = 'WarningMsg', [vim.log.levels.ERROR] = 'ErrorMsg' }

--- What ends a message of which more is in `:messages`.
local MORE = ' … (:messages)'

--- Whether `vim.notify` is Neovim's own, which writes to the last line. Newer versions have it without its source.
local function is_builtin()
  local source = debug.getinfo(vim.notify, 'S').source
  return source:match('^[@=]?vim/') ~= nil or source:match('^=?%?$') ~= nil
end

--- The cells that a message may take in the last line.
local function room()
  return math.max(vim.v.echospace, 1)
end

--- @param message string
--- @return boolean
local function fits(message)
  return not message:find('\n', 1, true) and vim.fn.strdisplaywidth(message) <= room()
end

--- The first line of a message, as far as it fits beside `ending`.
--- @param message string
--- @param ending string
--- @return string
local function shortened(message, ending)
  local cells = math.max(room() - vim.fn.strdisplaywidth(ending), 1)
  -- The precision of `S` counts cells.
  local head = vim.fn.printf('%.' .. cells .. 'S', message:match('^[^\n]*'))
  return head:gsub('%s+$', '') .. ending
end

--- The text as lines that fit, broken between words where they can be.
--- @param message string
--- @return string[]
local function wrapped(message)
  local lines = {}
  for line in vim.gsplit(message, '\n', { plain = true }) do
    while not fits(line) do
      local head = vim.fn.printf('%.' .. room() .. 'S', line)
      -- A character wider than the screen is not cut.
      head = head ~= '' and head or vim.fn.strcharpart(line, 0, 1)
      local blank = head:match('^.*()%s') or 1
      local cut = blank > 1 and blank - 1 or #head
      table.insert(lines, line:sub(1, cut))
      line = vim.trim(line:sub(cut + 1))
    end
    table.insert(lines, line)
  end
  return lines
end

--- The work in progress, while the last line shows it.
--- @type string?
local progress

--- Writes to the last line, in the place of what was written there before.
--- @param message string
--- @param highlight string?
--- @param history boolean
local function write(message, highlight, history)
  -- A second message in the same turn would take a second line. A redraw ends the turn, and asks for no key.
  vim.cmd.redraw()
  progress = nil
  vim.api.nvim_echo({ { message, highlight } }, history, {})
end

--- A text of the program, with the editor's commands in the place of the shell's.
--- @param text string
--- @return string
function M.in_editor(text)
  return (text:gsub('`tandem setup`', '`:Tandem setup`'):gsub('`tandem doctor`', '`:Tandem doctor`'))
end

--- Shows a message that names its sender.
--- @param message string
--- @param level? integer
function M.say(message, level)
  message = M.in_editor(message)
  if not is_builtin() then
    return vim.notify(message, level)
  end
  local highlight = HIGHLIGHTS[level]
  if fits(message) then
    return write(message, highlight, true)
  end
  for _, line in ipairs(wrapped(message)) do
    write(line, highlight, true)
  end
  write(shortened(message, MORE), highlight, false)
end

--- Shows a message, as information unless `level` is given.
--- @param message string
--- @param level? integer
function M.show(message, level)
  M.say('Tandem: ' .. message, level or vim.log.levels.INFO)
end

--- @param message string
function M.warn(message)
  M.show(message, vim.log.levels.WARN)
end

--- @type table<string, true>
local shown = {}

--- Warns, unless this cause was already reported in this session.
--- @param cause string
--- @param message string
--- @param level? integer
function M.once(cause, message, level)
  if not shown[cause] then
    shown[cause] = true
    -- At startup the screen cannot show messages yet.
    vim.schedule(function()
      M.show(message, level or vim.log.levels.WARN)
    end)
  end
end

--- Shows a message without adding it to `:messages`.
--- @param message string
function M.echo(message)
  message = 'Tandem: ' .. message
  write(fits(message) and message or shortened(message, '…'), nil, false)
end

--- Shows what is on its way, until [M.arrived] or another message.
--- @param what string
function M.progress(what)
  M.echo(what .. ' …')
  progress = what
end

--- Clears the work in progress, if the last line still shows it.
--- @param what string
function M.arrived(what)
  if progress == what then
    write('', nil, false)
  end
end

return M
