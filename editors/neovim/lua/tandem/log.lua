--- Messages of the servers in this session.

local notify = require('tandem.notify')
local trouble = require('tandem.trouble')

local M = {}

--- The most lines kept.
local LIMIT = 500

--- @type string[]
local lines = {}

--- Appends a message.
--- @param message string
function M.add(message)
  for line in vim.gsplit(message, '\n', { plain = true }) do
    table.insert(lines, os.date('%H:%M:%S ') .. line)
  end
  while #lines > LIMIT do
    table.remove(lines, 1)
  end
end

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

--- For the client's configuration.
M.handlers = {
  ['window/logMessage'] = function(_, result)
    M.add(result.message)
  end,
  -- The server's messages start with its name, which Neovim would repeat.
  ['window/showMessage'] = function(_, result)
    M.add(result.message)
    notify.say(trouble.note(result.message), levels[result.type])
  end,
}

--- The file with the standard error of all servers.
--- @return string
function M.path()
  return vim.lsp.log and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
end

--- Opens a window with the messages.
function M.open()
  local shown = #lines > 0 and vim.deepcopy(lines) or { 'The server has sent no messages yet.' }
  vim.list_extend(shown, { '', 'Its standard error is in ' .. M.path() })
  require('tandem.window').open('log', shown)
end

return M
