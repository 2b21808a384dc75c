--- `:Tandem commit`: writes the message for what is staged into the buffer of a commit.

local notify = require('tandem.notify')
local server = require('tandem.server')

local M = {}

local WRITING = 'writing the commit message'

--- The buffers for which a message is on its way.
--- @type table<integer, true>
local writing = {}

--- The folder that is committed: the one above `.git`, else Neovim's own, where git starts its editor.
--- @param bufnr integer
--- @return string
local function work_tree(bufnr)
  return vim.api.nvim_buf_get_name(bufnr):match('^(.+)/%.git/[^/]+$') or vim.fn.getcwd()
end

--- The lines of a message in the buffer: those above git's comments.
--- @param bufnr integer
--- @return integer count
local function message_lines(bufnr)
  local comment = vim.bo[bufnr].commentstring:match('^(%S)') or '#'
  for at, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    if vim.startswith(line, comment) then
      return at - 1
    end
  end
  return vim.api.nvim_buf_line_count(bufnr)
end

--- Replaces the message in the buffer. One undo takes it back.
--- @param bufnr integer
--- @param message string
local function fill(bufnr, message)
  local lines = vim.split(vim.trim(message), '\n', { plain = true })
  local old = message_lines(bufnr)
  if old < vim.api.nvim_buf_line_count(bufnr) then
    table.insert(lines, '')
  end
  vim.api.nvim_buf_set_lines(bufnr, 0, old, false, lines)
  if vim.api.nvim_get_current_buf() == bufnr then
    vim.api.nvim_win_set_cursor(0, { 1, 0 })
  end
end

--- Writes the message into the current buffer.
function M.run()
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.bo[bufnr].filetype ~= 'gitcommit' then
    return notify.warn('`:Tandem commit` is for the buffer that `git commit` opens')
  elseif writing[bufnr] then
    return
  end
  local cmd, problem = server.command()
  if not cmd then
    return notify.warn(problem --[[@as string]])
  end
  notify.progress(WRITING)
  writing[bufnr] = true
  local changed = vim.api.nvim_buf_get_changedtick(bufnr)
  vim.system(
    { cmd[1], 'commit-message' },
    { text = true, cwd = work_tree(bufnr) },
    vim.schedule_wrap(function(run)
      writing[bufnr] = nil
      notify.arrived(WRITING)
      if not vim.api.nvim_buf_is_loaded(bufnr) then
        return
      elseif run.code ~= 0 then
        local why = vim.trim(run.stderr or ''):gsub('^tandem: ', '')
        notify.warn(why ~= '' and why or ('the program ended with exit code %d'):format(run.code))
      elseif vim.api.nvim_buf_get_changedtick(bufnr) ~= changed then
        notify.warn('the buffer has changed, so no message was inserted; run it again')
      else
        fill(bufnr, run.stdout)
      end
    end)
  )
end

return M
