--- What the servers said in this session.

local M = {}

--- Older lines are dropped.
local LIMIT = 500

--- @type string[]
local lines = {}
--- By client, what it said of itself first.
--- @type table<integer, string>
local started = {}

--- @param message string
local function add(message)
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
  ['window/logMessage'] = function(_, result, ctx)
    add(result.message)
    started[ctx.client_id] = started[ctx.client_id] or result.message
  end,
  -- The server's messages say who speaks; Neovim would say it once more.
  ['window/showMessage'] = function(_, result)
    add(result.message)
    vim.notify(result.message, levels[result.type])
  end,
}

--- The line with which a server began: its version, and who answers.
--- @param client_id integer
--- @return string?
function M.started(client_id)
  return started[client_id]
end

--- The file to which Neovim writes what all its servers print on standard error.
--- @return string
function M.path()
  return vim.lsp.log and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
end

--- Opens a window with what was said.
function M.open()
  local bufnr = vim.api.nvim_create_buf(false, true)
  local shown = #lines > 0 and vim.deepcopy(lines) or { 'The server has said nothing yet.' }
  vim.list_extend(shown, { '', 'What it prints on standard error is in ' .. M.path() })
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, shown)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.api.nvim_win_set_height(0, math.min(#shown, 15))
end

return M
