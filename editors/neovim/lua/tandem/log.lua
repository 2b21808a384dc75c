--- What the servers said in this session.

local M = {}

--- Older lines are dropped.
local LIMIT = 500

--- @type string[]
local lines = {}

--- Writes down what was said.
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
  -- The server's messages say who speaks; Neovim would say it once more.
  ['window/showMessage'] = function(_, result)
    M.add(result.message)
    vim.notify(result.message, levels[result.type])
  end,
}

--- The file to which Neovim writes what all its servers print on standard error.
--- @return string
function M.path()
  return vim.lsp.log and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
end

--- Opens a window with what was said.
function M.open()
  local shown = #lines > 0 and vim.deepcopy(lines) or { 'The server has said nothing yet.' }
  vim.list_extend(shown, { '', 'What it prints on standard error is in ' .. M.path() })
  require('tandem.window').open('log', shown)
end

return M
