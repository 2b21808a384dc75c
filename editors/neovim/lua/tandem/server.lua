--- Runs the server: finds the program, selects the buffers to attach, restarts it after a crash.

local base = require('tandem.base')
local changeset = require('tandem.changeset')
local early = require('tandem.early')
local log = require('tandem.log')
local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local options = require('tandem.options')

local M = {}

--- The oldest server that this plugin works with.
M.MINIMUM = '0.1.0'

--- A folder with one of these is a project. Each project has its own server.
local ROOT_MARKERS = { '.tandem.toml', '.git', '.hg', '.jj' }

--- A server that stops this often within this time is not restarted.
local MAX_STOPS, MAX_STOPS_WITHIN_MS = 3, 60000

--- The time limit for the first answer of a server.
local START_TIMEOUT_MS = 10000

--- The server's command line.
--- @return string[]? cmd nil if the program cannot be run
--- @return string? problem why not, with the remedy
function M.command()
  local given = options.current.cmd
  local cmd = given or 'tandem'
  cmd = type(cmd) == 'table' and vim.deepcopy(cmd) or { cmd, 'lsp' }
  local program = vim.fn.exepath(vim.fs.normalize(cmd[1] or ''))
  -- Where Cargo and a release's archive put it; a graphical Neovim may have another PATH than the shell.
  for _, folder in ipairs(given and {} or { vim.env.CARGO_HOME or '~/.cargo', '~/.local' }) do
    program = program ~= '' and program or vim.fn.exepath(vim.fs.normalize(folder .. '/bin/tandem'))
  end
  if program ~= '' then
    cmd[1] = program
    return cmd
  end
  if given then
    return nil, ('`%s` cannot be run; correct `cmd` in setup()'):format(cmd[1] or '')
  end
  return nil,
    '`tandem` is neither on PATH nor in ~/.cargo/bin or ~/.local/bin; install it, or set `cmd` in setup() '
      .. '(:help tandem-install)'
end

--- The path of the configuration file, whether it exists or not.
--- @return string
function M.config_path()
  local set, folder = vim.env.TANDEM_CONFIG, vim.env.XDG_CONFIG_HOME
  if not folder or not (folder:match('^/') or folder:match('^%a:[/\\]')) then
    folder = vim.fn.expand('~/.config')
  end
  return set and set ~= '' and set or vim.fs.joinpath(folder, 'tandem', 'config.toml')
end

--- Why a buffer is not attached to the server.
--- @param bufnr integer
--- @return string? reason nil if it can be attached
function M.exclusion(bufnr)
  local current, filetype = options.current, vim.bo[bufnr].filetype
  local name = vim.api.nvim_buf_get_name(bufnr)
  if current.enabled == false then
    return 'Tandem is turned off in setup()'
  elseif vim.bo[bufnr].buftype ~= '' then
    return 'this buffer is not a file; open one'
  elseif name == '' then
    return 'this buffer has no name yet; :write it to a file'
  elseif name:match('^%a[%w+.-]+://') then
    return ('%s is not on this machine; run Neovim where the file is'):format(name:match('^.-//'))
  elseif filetype == '' then
    return 'this buffer has no filetype; :set filetype'
  elseif current.filetypes and not vim.list_contains(current.filetypes, filetype) then
    return ('`filetypes` in setup() does not include `%s`'):format(filetype)
  elseif type(current.enabled) == 'function' and current.enabled(bufnr) ~= true then
    return '`enabled` in setup() excludes it'
  end
end

local is_set_up = false

--- What is missing, unless setup() has started the servers or turned them off.
--- @return string?
local function missing_setup()
  if not is_set_up and options.current.enabled ~= false then
    return "setup() was not called; call require('tandem').setup() in your configuration (:help tandem-install)"
  end
end

--- @type table<integer, true> Clients that are being stopped
local stopping = {}
--- @type integer[] The times of unexpected exits, in ms
local stop_times = {}

--- @param code integer
--- @param signal integer
--- @param client_id integer
local function on_exit(code, signal, client_id)
  if stopping[client_id] or vim.v.exiting ~= vim.NIL then
    stopping[client_id] = nil
    return
  end
  local now = vim.uv.now()
  stop_times = vim.tbl_filter(function(at)
    return now - at < MAX_STOPS_WITHIN_MS
  end, stop_times)
  table.insert(stop_times, now)
  local how = signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
  if #stop_times >= MAX_STOPS then
    local message = 'the server stopped %d times within a minute (%s), so it is not restarted: '
      .. ':Tandem log shows why, :Tandem restart starts it again'
    vim.schedule(function()
      notify.warn(message:format(#stop_times, how))
    end)
    return
  end
  log.add(('the server stopped (%s); restarting it'):format(how))
  vim.defer_fn(M.start, 200 * #stop_times)
end

--- @param client vim.lsp.Client
--- @param result lsp.InitializeResult
local function on_init(client, result)
  -- `tandem.ghost` draws ghost text in all versions; Neovim's own module would draw it twice.
  client.server_capabilities.inlineCompletionProvider = nil
  early.report(client)
  lsp.tell_failed_actions(client, function(message)
    notify.say(message, vim.log.levels.WARN)
  end)
  local info = result.serverInfo or {}
  local version = info.version and vim.version.parse(info.version)
  if info.name ~= 'tandem' or not version then
    local said = info.name and ('it calls itself `%s`'):format(info.name) or 'it gives no name'
    local message = '`%s` is not Tandem: %s; correct `cmd` in setup()'
    notify.once('not tandem', message:format(client.config.cmd[1], said))
  elseif vim.version.lt(version, M.MINIMUM) then
    local message = '`%s` is %s, and this plugin needs %s or newer: install both from the same version'
    notify.once('old', message:format(client.config.cmd[1], info.version, M.MINIMUM))
  end
end

--- What other modules do with the server's messages.
--- @type table<string, lsp.Handler>
local handlers = {}

--- Handles an edit that the server has applied: to all of its files, or to none, with the reason.
--- @type lsp.Handler
local function apply_edit(_, params, ctx)
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  local texts, problem = base.of(params.edit)
  if texts then
    problem = base.apply(params.edit, lsp.encoding(client), texts)
  end
  local count = #changeset.files(params.edit)
  if not problem and count > 1 then
    notify.echo(('applied to %d files; :wall saves that, :Tandem undo undoes it'):format(count))
  end
  return { applied = problem == nil, failureReason = problem }
end

--- @param cmd string[]
local function client_config(cmd)
  local settings = options.current.settings
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = {
    tandem = {
      statusNotification = true,
      partialAccept = true,
      ghostTextNotification = true,
      rename = true,
      left = true,
    },
  }
  return {
    cmd = cmd,
    capabilities = capabilities,
    -- An empty table would be encoded as a JSON array.
    init_options = next(settings) and settings or nil,
    handlers = vim.tbl_extend('error', log.handlers, handlers, { ['workspace/applyEdit'] = apply_edit }),
    on_init = on_init,
    on_exit = on_exit,
  }
end

--- Starts the server for one buffer, in Neovim 0.10, which has no `vim.lsp.enable`.
--- @param bufnr integer
local function start_in(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) or M.exclusion(bufnr) then
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

--- Starts servers for open files, and for files opened later.
function M.start()
  local cmd, problem = M.command()
  if not cmd then
    return notify.once('no program', problem --[[@as string]])
  end
  if vim.lsp.enable then
    local config = client_config(cmd)
    config.root_dir = function(bufnr, on_dir)
      if not M.exclusion(bufnr) then
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
      local message = '`%s` does not answer; check with `%s --version` that it is Tandem'
      notify.once('silent', message:format(cmd[1], cmd[1]))
    end
  end, START_TIMEOUT_MS)
end

--- Restarts the servers, or starts them if none is running.
function M.restart()
  local _, problem = M.command()
  problem = missing_setup() or problem
  if problem then
    return notify.warn(problem)
  end
  stop_times = {}
  for _, client in ipairs(lsp.clients()) do
    stopping[client.id] = true
    lsp.call(client, 'stop', true)
  end
  local stopped = vim.wait(2000, function()
    return #lsp.clients() == 0
  end, 20)
  if not stopped then
    return notify.warn('the server has not stopped yet; try again in a moment')
  end
  M.start()
end

--- The server of a buffer. Warns if there is none, with the reason.
--- @param bufnr integer
--- @return vim.lsp.Client?
function M.require_client(bufnr)
  local client = lsp.client(bufnr)
  if not client then
    local _, problem = M.command()
    local reason = missing_setup() or problem or M.exclusion(bufnr)
    notify.warn(reason and 'not running here: ' .. reason or 'the server is not running (:checkhealth tandem)')
  end
  return client
end

--- @param group integer The group for autocommands
--- @param message_handlers table<string, lsp.Handler> What to do with the server's messages, by method
function M.setup(group, message_handlers)
  handlers, is_set_up = message_handlers, true
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(event)
      if vim.bo[event.buf].buftype == '' and event.file:match('^%a[%w+.-]+://') then
        local reason = M.exclusion(event.buf)
        if reason then
          notify.once('remote', 'not running here: ' .. reason, vim.log.levels.INFO)
        end
      elseif not vim.lsp.enable then
        start_in(event.buf)
      end
    end,
  })
  -- A buffer may get its name after its filetype.
  vim.api.nvim_create_autocmd({ 'BufFilePost', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      if lsp.client(event.buf) or M.exclusion(event.buf) or #stop_times >= MAX_STOPS then
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
