--- The server's life: where its program is, which files it is told of, and what happens when it stops.

local log = require('tandem.log')
local lsp = require('tandem.lsp')
local options = require('tandem.options')
local say = require('tandem.say')

local M = {}

--- The oldest server that this plugin works with.
M.MINIMUM = '0.1.0'

--- Folders that hold one of these are projects. One server is started for each.
local ROOT_MARKERS = { '.tandem.toml', '.git', '.hg', '.jj' }

--- A server that stops this often within so many ms is not started again.
local STOPS, STOPS_WITHIN = 3, 60000

--- What a server may take to answer at all, in ms.
local PATIENCE = 10000

--- The server's command line.
--- @return string[]? cmd nil if the program cannot be run
--- @return string? problem why not, and what to do
function M.command()
  local given = options.current.cmd
  local cmd = given or 'tandem'
  cmd = type(cmd) == 'table' and vim.deepcopy(cmd) or { cmd, 'lsp' }
  local program = vim.fn.exepath(vim.fs.normalize(cmd[1] or ''))
  if program ~= '' then
    cmd[1] = program
    return cmd
  end
  if given then
    return nil, ('`%s` cannot be run; correct `cmd` in setup()'):format(cmd[1] or '')
  end
  return nil, 'there is no `tandem` on PATH; install it, or set `cmd` in setup() (:help tandem-install)'
end

--- The file in which the server looks for its configuration, whether it exists or not.
--- @return string
function M.config_path()
  local folder = vim.env.XDG_CONFIG_HOME or vim.fn.expand('~/.config')
  return vim.env.TANDEM_CONFIG or vim.fs.joinpath(folder, 'tandem', 'config.toml')
end

--- Why the server is not told of a buffer.
--- @param bufnr integer
--- @return string? reason nil if it is
function M.left_out(bufnr)
  local current, filetype = options.current, vim.bo[bufnr].filetype
  local name = vim.api.nvim_buf_get_name(bufnr)
  if current.enabled == false then
    return 'it is switched off in setup()'
  elseif vim.bo[bufnr].buftype ~= '' then
    return 'this is not a file'
  elseif name == '' then
    return 'this buffer has no name yet; :write it to a file'
  elseif name:match('^%a[%w+.-]+://') then
    return ('%s is not on this machine; run Neovim where the file is'):format(name:match('^.-//'))
  elseif filetype == '' then
    return 'Neovim knows no filetype for it; :set filetype'
  elseif current.filetypes and not vim.list_contains(current.filetypes, filetype) then
    return ('`filetypes` in setup() leaves out `%s`'):format(filetype)
  elseif type(current.enabled) == 'function' and current.enabled(bufnr) ~= true then
    return '`enabled` in setup() says no to it'
  end
end

--- @type table<integer, true> The clients that were told to stop
local stopping = {}
--- @type integer[] When servers stopped by themselves, in ms
local stops = {}

--- @param code integer
--- @param signal integer
--- @param client_id integer
local function on_exit(code, signal, client_id)
  if stopping[client_id] or vim.v.exiting ~= vim.NIL then
    stopping[client_id] = nil
    return
  end
  local now = vim.uv.now()
  stops = vim.tbl_filter(function(at)
    return now - at < STOPS_WITHIN
  end, stops)
  table.insert(stops, now)
  local how = signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
  if #stops >= STOPS then
    local message = 'the server stopped %d times within a minute (%s) and stays off: '
      .. ':Tandem log says why, :Tandem restart starts it again'
    vim.schedule(function()
      say.warn(message:format(#stops, how))
    end)
    return
  end
  log.add(('the server stopped (%s); it is started again'):format(how))
  vim.defer_fn(M.start, 200 * #stops)
end

--- @param client vim.lsp.Client
--- @param result lsp.InitializeResult
local function on_init(client, result)
  -- Ghost text is ours on every version (see tandem.ghost); Neovim's own would draw it a second time.
  client.server_capabilities.inlineCompletionProvider = nil
  local info = result.serverInfo or {}
  local version = info.version and vim.version.parse(info.version)
  if info.name ~= 'tandem' or not version then
    local message = '`%s` is not Tandem: it calls itself %s; correct `cmd` in setup()'
    say.once('not tandem', message:format(client.config.cmd[1], info.name or 'nothing'))
  elseif vim.version.lt(version, M.MINIMUM) then
    local message = '`%s` is %s, and this plugin needs %s or newer: install both from the same version'
    say.once('old', message:format(client.config.cmd[1], info.version, M.MINIMUM))
  end
end

--- @param cmd string[]
local function client_config(cmd)
  local settings = options.current.settings
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { tandem = { statusNotification = true, partialAccept = true } }
  return {
    cmd = cmd,
    capabilities = capabilities,
    -- An empty table would arrive as a list.
    init_options = next(settings) and settings or nil,
    handlers = vim.tbl_extend('error', log.handlers, require('tandem.status').handlers),
    on_init = on_init,
    on_exit = on_exit,
  }
end

--- Neovim 0.10 has no list of servers to start by itself.
--- @param bufnr integer
local function start_in(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) or M.left_out(bufnr) then
    return
  end
  local cmd = M.command()
  if cmd then
    local config = client_config(cmd)
    config.name = 'tandem'
    config.root_dir = vim.fs.root(bufnr, ROOT_MARKERS)
    vim.lsp.start(config, { bufnr = bufnr })
  end
end

--- Starts servers for the open files and for those to come.
function M.start()
  local cmd, problem = M.command()
  if not cmd then
    return say.once('no program', problem --[[@as string]])
  end
  if vim.lsp.enable then
    local config = client_config(cmd)
    config.root_dir = function(bufnr, on_dir)
      if not M.left_out(bufnr) then
        on_dir(vim.fs.root(bufnr, ROOT_MARKERS))
      end
    end
    vim.lsp.config('tandem', config)
    vim.lsp.enable('tandem')
  else
    vim.iter(vim.api.nvim_list_bufs()):each(start_in)
  end
  vim.defer_fn(function()
    local silent = vim.lsp.get_clients({ name = 'tandem', _uninitialized = true })
    if vim.iter(silent):any(function(client)
      return not client.initialized
    end) then
      local message = '`%s` does not answer; is it Tandem? `%s --version` tells'
      say.once('silent', message:format(cmd[1], cmd[1]))
    end
  end, PATIENCE)
end

--- Stops the servers, if any still run, and starts them again.
function M.restart()
  local _, problem = M.command()
  if problem then
    return say.warn(problem)
  end
  stops = {}
  for _, client in ipairs(lsp.clients()) do
    stopping[client.id] = true
    lsp.call(client, 'stop', true)
  end
  local stopped = vim.wait(2000, function()
    return #lsp.clients() == 0
  end, 20)
  if not stopped then
    return say.warn('the server does not stop; try again')
  end
  M.start()
end

--- The server for a buffer, or a word to the user why there is none.
--- @param bufnr integer
--- @return vim.lsp.Client?
function M.need(bufnr)
  local client = lsp.client(bufnr)
  if not client then
    local _, problem = M.command()
    local reason = problem or M.left_out(bufnr) or 'the server does not run (:checkhealth tandem)'
    say.warn('not running for this file: ' .. reason)
  end
  return client
end

--- @param group integer The group for autocommands
function M.setup(group)
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(event)
      if vim.bo[event.buf].buftype == '' and event.file:match('^%a[%w+.-]+://') then
        local reason = M.left_out(event.buf)
        if reason then
          say.once('remote', 'not running for this file: ' .. reason, vim.log.levels.INFO)
        end
      elseif not vim.lsp.enable then
        start_in(event.buf)
      end
    end,
  })
  -- A buffer that was without a name when its filetype was set.
  vim.api.nvim_create_autocmd({ 'BufFilePost', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      if lsp.client(event.buf) or M.left_out(event.buf) or #stops >= STOPS then
        return
      end
      if vim.lsp.enable then
        vim.lsp.enable('tandem')
      else
        start_in(event.buf)
      end
    end,
  })
  M.start()
end

return M
