--- Starts the Tandem server for the files that you edit, and gives you its commands.

local M = {}

--- @class tandem.Options
--- @field cmd? string|string[] The program, or the program with its arguments. Default: `tandem` on PATH.
--- @field settings? table What the configuration file can hold, laid over it. See the server's README.
--- @field filetypes? string[] The filetypes to work in. Default: all.
--- @field enabled? boolean|fun(bufnr: integer): boolean Whether to work in a buffer. Default: true.
--- @field ghost_text? boolean Whether to show ghost text. Default: true.

--- @type tandem.Options
local options = {}

local types = {
  cmd = { 'string', 'table' },
  settings = { 'table' },
  filetypes = { 'table' },
  enabled = { 'boolean', 'function' },
  ghost_text = { 'boolean' },
}

--- Folders that hold one of these are projects. One server is started for each.
local root_markers = { '.tandem.toml', '.git', '.hg', '.jj' }

--- @param message string
--- @param level? integer
local function say(message, level)
  vim.notify('Tandem: ' .. message, level or vim.log.levels.INFO)
end

--- Keeps the options that can be used, and names the others.
--- @param opts table
--- @return tandem.Options
local function usable(opts)
  local good, problems = {}, {}
  for name, value in pairs(opts) do
    if not types[name] then
      table.insert(problems, ('there is no option `%s`'):format(name))
    elseif not vim.list_contains(types[name], type(value)) then
      table.insert(problems, ('`%s` must be a %s'):format(name, table.concat(types[name], ' or a ')))
    else
      good[name] = value
    end
  end
  if #problems > 0 then
    table.sort(problems)
    say(table.concat(problems, '; ') .. ' (:help tandem-options)', vim.log.levels.WARN)
  end
  return good
end

--- The server's command line.
--- @return string[]? cmd nil if the program cannot be run
--- @return string? problem why not, and what to do
function M.command()
  local cmd = options.cmd or 'tandem'
  cmd = type(cmd) == 'table' and vim.deepcopy(cmd) or { cmd, 'lsp' }
  local program = vim.fn.exepath(vim.fs.normalize(cmd[1] or ''))
  if program ~= '' then
    cmd[1] = program
    return cmd
  end
  if options.cmd then
    return nil, ('`%s` cannot be run; correct `cmd` in setup()'):format(cmd[1] or '')
  end
  return nil, 'there is no `tandem` on PATH; install it, or set `cmd` in setup() (:help tandem-install)'
end

--- The file in which the server looks for its configuration, whether it exists or not.
function M.config_path()
  local folder = vim.env.XDG_CONFIG_HOME or vim.fn.expand('~/.config')
  return vim.env.TANDEM_CONFIG or vim.fs.joinpath(folder, 'tandem', 'config.toml')
end

--- The servers at work.
--- @param filter? {bufnr?: integer}
function M.clients(filter)
  return vim.lsp.get_clients(vim.tbl_extend('error', { name = 'tandem' }, filter or {}))
end

--- @param bufnr integer
local function is_enabled(bufnr)
  if vim.bo[bufnr].buftype ~= '' or options.enabled == false then
    return false
  end
  if options.filetypes and not vim.list_contains(options.filetypes, vim.bo[bufnr].filetype) then
    return false
  end
  return type(options.enabled) ~= 'function' or options.enabled(bufnr) == true
end

--- @param cmd string[]
local function client_config(cmd)
  local settings = options.settings or {}
  return {
    cmd = cmd,
    -- An empty table would arrive as a list.
    init_options = next(settings) and settings or nil,
    handlers = require('tandem.log').handlers,
  }
end

--- Neovim 0.10 has no list of servers to start by itself.
--- @param bufnr integer
local function start(bufnr)
  if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype ~= '' and is_enabled(bufnr) then
    local config = client_config(assert(M.command()))
    config.name = 'tandem'
    config.root_dir = vim.fs.root(bufnr, root_markers)
    vim.lsp.start(config, { bufnr = bufnr })
  end
end

local function start_everywhere()
  if not vim.lsp.enable then
    vim.iter(vim.api.nvim_list_bufs()):each(start)
    return
  end
  local config = client_config(assert(M.command()))
  config.root_dir = function(bufnr, on_dir)
    if is_enabled(bufnr) then
      on_dir(vim.fs.root(bufnr, root_markers))
    end
  end
  vim.lsp.config('tandem', config)
  vim.lsp.enable('tandem')
end

--- Starts Tandem for the open files and for those to come.
--- @param opts? tandem.Options
function M.setup(opts)
  options = usable(opts or {})
  local group = vim.api.nvim_create_augroup('tandem', {})
  if options.enabled == false then
    return
  end
  local _, problem = M.command()
  if problem then
    -- Once, and after the screen is there to show it.
    vim.schedule(function()
      say(problem, vim.log.levels.WARN)
    end)
    return
  end
  if options.ghost_text ~= false then
    require('tandem.ghost').setup(group)
  end
  if not vim.lsp.enable then
    vim.api.nvim_create_autocmd('FileType', {
      group = group,
      callback = function(event)
        start(event.buf)
      end,
    })
  end
  start_everywhere()
end

--- Accepts the ghost text on screen.
--- @return boolean accepted false if there was none
function M.accept()
  return require('tandem.ghost').accept()
end

--- Calls a method of a client; Neovim 0.10 has them as plain functions.
--- @param client vim.lsp.Client
--- @param method string
local function call(client, method, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- Stops the servers, if any still run, and starts them again.
function M.restart()
  local _, problem = M.command()
  if problem then
    return say(problem, vim.log.levels.WARN)
  end
  for _, client in ipairs(M.clients()) do
    call(client, 'stop', true)
  end
  local stopped = vim.wait(2000, function()
    return #M.clients() == 0
  end, 20)
  if not stopped then
    return say('the server does not stop; try again', vim.log.levels.WARN)
  end
  start_everywhere()
end

--- Asks the server to rewrite lines of the current buffer.
--- @param instruction string
--- @param first? integer The first line, counted from 1. Default: the cursor's, and all of what begins on it.
--- @param last? integer The last line.
function M.rewrite(instruction, first, last)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = M.clients({ bufnr = bufnr })[1]
  if not client then
    return say('not running for this file (:checkhealth tandem)', vim.log.levels.WARN)
  end
  -- An empty range asks the server to find the end.
  local from = { line = (first or vim.api.nvim_win_get_cursor(0)[1]) - 1, character = 0 }
  local to = from
  if last then
    local text = vim.api.nvim_buf_get_lines(bufnr, last - 1, last, false)[1] or ''
    -- In any unit of columns this is the line's end or behind it, and behind it means its end.
    to = { line = last - 1, character = #text }
  end
  local arguments = {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = vim.lsp.util.buf_versions[bufnr] },
    range = { start = from, ['end'] = to },
    instruction = instruction,
  }
  vim.api.nvim_echo({ { 'Tandem: ' .. instruction .. ' …' } }, false, {})
  local params = { command = 'tandem.rewrite', arguments = { arguments } }
  call(client, 'request', 'workspace/executeCommand', params, function(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.WARN)
    else
      local who = type(result.model) == 'string' and result.model or 'the local engine'
      vim.api.nvim_echo({ { ('Tandem: rewritten by %s'):format(who) } }, false, {})
    end
  end, bufnr)
end

--- Asks for an instruction, then as [M.rewrite].
--- @param first? integer
--- @param last? integer
function M.ask_and_rewrite(first, last)
  vim.ui.input({ prompt = 'Tandem, rewrite: ' }, function(instruction)
    if instruction and vim.trim(instruction) ~= '' then
      M.rewrite(vim.trim(instruction), first, last)
    end
  end)
end

--- Says in one line what Tandem does for the current file.
function M.status()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = M.clients({ bufnr = bufnr })[1]
  if not client then
    return say('not running for this file (:checkhealth tandem)')
  end
  local about = require('tandem.log').started(client.id) or 'Tandem: it is running'
  local ghost = require('tandem.ghost').is_on(client, bufnr) and 'on' or 'off'
  vim.api.nvim_echo({ { ('%s; ghost text is %s'):format(about, ghost) } }, false, {})
end

return M
