--- The public API. All other modules are internal.

local M = {}

--- Handles progress. An answer to a question that grows is shown in its window, and is no bar for a statusline.
--- @type lsp.Handler
local function show_progress(err, params, ctx, config)
  if not require('tandem.ask').progress(params) then
    return vim.lsp.handlers['$/progress'](err, params, ctx, config)
  end
end

--- Starts Tandem for open files, and for files opened later.
--- @param opts? tandem.Options
function M.setup(opts)
  -- A plugin manager may have added the folder after Neovim read its `plugin` folders.
  if not vim.g.loaded_tandem then
    vim.cmd.runtime('plugin/tandem.lua')
  end
  local problem = require('tandem.options').set(opts or {})
  if problem then
    require('tandem.notify').warn(problem)
  end
  local current = require('tandem.options').current
  local group = vim.api.nvim_create_augroup('tandem', {})
  if current.enabled == false then
    return
  end
  local decorations = require('tandem.decorations')
  decorations.define_groups()
  -- The background may be set or detected during startup without an event.
  vim.api.nvim_create_autocmd({ 'ColorScheme', 'VimEnter' }, { group = group, callback = decorations.define_groups })
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = 'background',
    callback = vim.schedule_wrap(decorations.define_groups),
  })
  local ghost, status = require('tandem.ghost'), require('tandem.status')
  ghost.setup(group)
  require('tandem.next_edit').setup(group)
  require('tandem.diagnostics').setup(group)
  require('tandem.fix').setup(group)
  status.setup(group)
  require('tandem.silence').setup(group)
  if current.ghost_text then
    require('tandem.conflicts').setup(group)
  end
  local handlers = vim.tbl_extend('error', status.handlers, ghost.handlers, { ['$/progress'] = show_progress })
  require('tandem.server').setup(group, handlers)
end

--- Does what Tab does: takes the menu's entry, goes to the snippet's next field, accepts the ghost text, jumps to the next
--- edit or applies it. For an `expr` mapping in insert, select and normal mode.
--- @return string keys What is left for Neovim to do
function M.tab()
  return require('tandem.tab').press()
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

--- Requests ghost text explicitly.
function M.suggest()
  require('tandem.next_edit').clear()
  require('tandem.ghost').suggest()
end

--- Shows another suggestion.
--- @param count? integer How many to go forward, negative to go back. Default: 1
function M.select(count)
  require('tandem.ghost').select(count or 1)
end

--- Dismisses the ghost text or the next edit.
--- @return boolean dismissed false if there was neither
function M.dismiss()
  return require('tandem.ghost').dismiss() or require('tandem.next_edit').dismiss()
end

--- Whether ghost text is on screen.
--- @return boolean
function M.is_visible()
  return require('tandem.ghost').is_visible()
end

--- Jumps to the next edit, or applies it if the cursor is there.
--- @return boolean done false if there is none on screen
function M.next_edit()
  return require('tandem.next_edit').go()
end

--- Applies all remaining next edits of one file; one undo takes them back.
function M.apply_all()
  require('tandem.next_edit').apply_all()
end

--- Shows the ghost text or the next edit again that was dismissed last.
function M.show_dismissed()
  local mode = vim.api.nvim_get_mode().mode
  if vim.startswith(mode, 'i') then
    require('tandem.ghost').restore()
  elseif vim.startswith(mode, 'ni') then
    -- One command of insert mode, behind <C-o>: its ghost text is drawn when that goes on.
    vim.api.nvim_create_autocmd('InsertEnter', {
      once = true,
      callback = vim.schedule_wrap(function()
        require('tandem.ghost').restore()
      end),
    })
  else
    require('tandem.next_edit').restore()
  end
end

--- Asks the server to rewrite lines of the current buffer.
--- @param instruction? string Without it, the user is asked.
--- @param first? integer The first line, counted from 1. Default: what the cursor is in.
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

--- Applies all certain fixes of the current buffer; no model is asked.
--- @param opts? {quickfix?: boolean} Of what the quickfix list reports instead, in all of its files.
function M.fix(opts)
  if opts and opts.quickfix then
    require('tandem.fix').fix_quickfix()
  else
    require('tandem.fix').fix(vim.api.nvim_get_current_buf())
  end
end

--- Asks the server for a plan of a change across many files, and shows it.
--- @param instruction? string Without it, the user is asked.
--- @param first? integer The first line that it is about, counted from 1.
--- @param last? integer The last line.
function M.plan(instruction, first, last)
  if instruction then
    require('tandem.plan').plan(instruction, first, last)
  else
    require('tandem.plan').ask(first, last)
  end
end

--- Asks about the project, and shows the answer with the places that it names.
--- @param question? string Without it, about the name under the cursor.
function M.ask(question)
  require('tandem.ask').ask(question)
end

--- Explains, documents, simplifies, tests or reviews lines of the current buffer.
--- @param name 'document'|'explain'|'review'|'simplify'|'tests'
--- @param first? integer The first line, counted from 1. Default: the definition or statement on the cursor's line.
--- @param last? integer The last line.
function M.job(name, first, last)
  require('tandem.job').run(name, first, last)
end

--- Writes the message for what is staged into the buffer of a commit.
function M.commit()
  require('tandem.commit').run()
end

--- Shows the models, their cost and the state of the current file.
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

--- Snoozes suggestions.
--- @param minutes? number 0 ends it.
function M.snooze(minutes)
  require('tandem.status').snooze(minutes)
end

--- Restarts the servers, or starts them if none is running.
function M.restart()
  require('tandem.server').restart()
end

return M
