--- What Tab does: the rule of editors/protocol.md, "What Tab does". The mapping and the hints follow it.

local M = {}

--- What is on screen at the cursor, as far as Tab is concerned.
--- @class tandem.Screen
--- @field menu boolean Whether the completion menu has a selected entry
--- @field snippet boolean Whether a snippet has fields left to fill in
--- @field ghost boolean Whether ghost text is drawn
--- @field edit 'none'|'far'|'here' The next edit: none is drawn, it is away from the cursor, or at the cursor
--- @field indents boolean Whether the editor's own Tab would indent, and the user has not jumped to the next edit

--- What Tab does with this on screen.
---
--- - `entry`: take the menu's entry.
--- - `field`: go to the snippet's next field.
--- - `accept`: accept the ghost text.
--- - `jump`: go to the next edit.
--- - `apply`: apply the next edit.
--- - `indent`: what the editor's own Tab does.
--- @param screen tandem.Screen
--- @return 'entry'|'field'|'accept'|'jump'|'apply'|'indent'
function M.action(screen)
  if screen.menu then
    return 'entry'
  elseif screen.snippet then
    return 'field'
  elseif screen.ghost then
    return 'accept'
  elseif screen.edit == 'none' or screen.indents then
    return 'indent'
  end
  return screen.edit == 'far' and 'jump' or 'apply'
end

--- What is on screen in the current window.
--- @return tandem.Screen
local function screen()
  return {
    menu = vim.fn.pumvisible() == 1 and vim.fn.complete_info({ 'selected' }).selected ~= -1,
    snippet = vim.snippet.active({ direction = 1 }),
    ghost = require('tandem.ghost').is_visible(),
    edit = require('tandem.next_edit').location(),
    indents = require('tandem.next_edit').tab_indents(),
  }
end

--- Does what Tab does; for an `expr` mapping.
--- @return string keys What is left for Neovim to do
function M.press()
  local action = M.action(screen())
  if action == 'entry' then
    return '<C-y>'
  elseif action == 'field' then
    return '<Cmd>lua vim.snippet.jump(1)<CR>'
  elseif action == 'accept' then
    return require('tandem.ghost').accept('all') and '' or '<Tab>'
  elseif action == 'indent' then
    return '<Tab>'
  end
  return require('tandem.next_edit').go() and '' or '<Tab>'
end

return M
