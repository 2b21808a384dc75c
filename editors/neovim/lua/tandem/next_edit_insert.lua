--- Next edits in insert mode, which the option `next_edit_insert_pause` turns on. Ghost text comes first: the next edit
--- is requested after a pause in typing without ghost text.

local ghost = require('tandem.ghost')
local options = require('tandem.options')

local M = {}

local timer = assert(vim.uv.new_timer())

local function in_insert_mode()
  return vim.startswith(vim.api.nvim_get_mode().mode, 'i')
end

--- Whether they are turned on.
--- @return boolean
function M.is_on()
  return options.current.next_edit_insert_pause ~= nil and options.current.next_edit
end

--- Whether next edits are shown in the current mode.
--- @return boolean
function M.shows_in_mode()
  return vim.api.nvim_get_mode().mode == 'n' or M.is_on() and in_insert_mode() and not ghost.is_visible()
end

--- Whether Tab indents in insert mode: only blanks precede the cursor.
--- @return boolean
function M.tab_indents()
  local column = vim.api.nvim_win_get_cursor(0)[2]
  return in_insert_mode() and vim.api.nvim_get_current_line():sub(1, column):match('^%s*$') ~= nil
end

--- Calls `request` after the pause, unless the user leaves insert mode, or ghost text or a menu is on screen by then.
--- @param request fun()
function M.after_pause(request)
  if not M.is_on() then
    return
  end
  timer:start(
    options.current.next_edit_insert_pause,
    0,
    vim.schedule_wrap(function()
      if not M.shows_in_mode() or not in_insert_mode() or vim.fn.pumvisible() == 1 then
        return
      elseif ghost.is_pending() then
        return M.after_pause(request)
      end
      request()
    end)
  )
end

--- Ends the pause without a request.
function M.stop()
  timer:stop()
end

return M
