--- Starts the Tandem server for the files that you edit, and gives you its commands. What is not in this file is not
--- for use from outside.

local M = {}

--- Starts Tandem for the open files and for those to come.
--- @param opts? tandem.Options
function M.setup(opts)
  local problem = require('tandem.options').set(opts or {})
  if problem then
    require('tandem.say').warn(problem)
  end
  local current = require('tandem.options').current
  local group = vim.api.nvim_create_augroup('tandem', {})
  if current.enabled == false then
    return
  end
  local draw = require('tandem.draw')
  draw.define_groups()
  -- The background may be set, or found out, while Neovim starts, which is no event of its own.
  vim.api.nvim_create_autocmd({ 'ColorScheme', 'VimEnter' }, { group = group, callback = draw.define_groups })
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = 'background',
    callback = vim.schedule_wrap(draw.define_groups),
  })
  require('tandem.ghost').setup(group)
  require('tandem.next').setup(group)
  require('tandem.diagnostics').setup(group)
  require('tandem.status').setup(group)
  if current.ghost_text then
    require('tandem.rivals').setup(group)
  end
  require('tandem.server').setup(group)
end

--- Accepts the ghost text on screen.
--- @return boolean accepted false if there was none
function M.accept()
  return require('tandem.ghost').accept('all')
end

--- Accepts the next word of the ghost text on screen.
--- @return boolean accepted false if there was none
function M.accept_word()
  return require('tandem.ghost').accept('word')
end

--- Accepts the next line of the ghost text on screen.
--- @return boolean accepted false if there was none
function M.accept_line()
  return require('tandem.ghost').accept('line')
end

--- Asks for ghost text by hand.
function M.suggest()
  require('tandem.ghost').suggest()
end

--- Shows another suggestion.
--- @param count? integer How many further, negative for back. Default: 1
function M.select(count)
  require('tandem.ghost').select(count or 1)
end

--- Takes the ghost text or the next edit from the screen, as not wanted.
--- @return boolean dismissed false if there was neither
function M.dismiss()
  return require('tandem.ghost').dismiss() or require('tandem.next').dismiss()
end

--- Whether ghost text is on screen.
--- @return boolean
function M.is_visible()
  return require('tandem.ghost').is_visible()
end

--- Goes to the next edit, or if the cursor is there, makes it.
--- @return boolean done false if there is none on screen
function M.next_edit()
  return require('tandem.next').go()
end

--- Asks the server to rewrite lines of the current buffer.
--- @param instruction? string Without it, the user is asked.
--- @param first? integer The first line, counted from 1. Default: the cursor's, and all of what begins on it.
--- @param last? integer The last line.
--- @param opts? {preview?: boolean}
function M.rewrite(instruction, first, last, opts)
  local wanted = { instruction = instruction, first = first, last = last, preview = opts and opts.preview }
  if instruction then
    require('tandem.rewrite').rewrite(wanted)
  else
    require('tandem.rewrite').ask(wanted)
  end
end

--- Shows who answers in the current file, what it costs, and what it did.
function M.status()
  require('tandem.status').show()
end

--- A component for a statusline.
--- @return string
function M.statusline()
  return require('tandem.status').statusline()
end

--- Shows why there was a suggestion or none.
function M.why()
  require('tandem.status').why()
end

--- Switches suggestions off for a while.
--- @param minutes? number 0 switches them on again.
function M.snooze(minutes)
  require('tandem.status').snooze(minutes)
end

--- Stops the servers, if any still run, and starts them again.
function M.restart()
  require('tandem.server').restart()
end

return M
