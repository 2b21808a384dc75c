--- `:checkhealth tandem`

local ghost = require('tandem.ghost')
local lsp = require('tandem.lsp')
local options = require('tandem.options')
local server = require('tandem.server')

local M = {}

--- The time limit of a status request, in ms.
local STATUS_TIMEOUT = 2000

--- The time limit for a server to be attached to a file, in ms.
local ATTACH_TIMEOUT = 2000

local function check_neovim()
  vim.health.start('Neovim')
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok(version)
  else
    vim.health.error(version .. ' is too old', 'update Neovim to 0.10 or newer')
  end
  local debounce = vim.lsp.config and vim.tbl_get(vim.lsp.config, 'tandem', 'flags', 'debounce_text_changes')
  if type(debounce) == 'number' and debounce > 500 then
    vim.health.warn(
      ('changes are sent only after %d ms'):format(debounce),
      'remove `flags.debounce_text_changes` from vim.lsp.config: it delays next edits'
    )
  end
end

--- @return boolean runnable
local function check_server()
  vim.health.start('The server')
  local cmd, problem = server.command()
  if not cmd then
    vim.health.error(problem --[[@as string]])
    return false
  end
  local run = vim.system({ cmd[1], '--version' }, { text = true }):wait(5000)
  if run.code ~= 0 then
    vim.health.error(('`%s --version` failed'):format(cmd[1]), vim.split(vim.trim(run.stderr or ''), '\n'))
    return false
  end
  local version = vim.version.parse(run.stdout:match('^tandem (%S+)') or '')
  if not version then
    local message = ('`%s` is not Tandem; it prints: %s'):format(cmd[1], vim.trim(run.stdout))
    vim.health.error(message, 'correct `cmd` in setup()')
    return false
  elseif vim.version.lt(version, server.MINIMUM) then
    vim.health.error(
      ('`%s` is %s, and this plugin needs %s'):format(cmd[1], version, server.MINIMUM),
      'install both from the same version'
    )
    return false
  end
  vim.health.ok(('%s (%s)'):format(vim.trim(run.stdout), cmd[1]))
  local config = server.config_path()
  if vim.uv.fs_stat(config) then
    vim.health.info('configuration: ' .. config)
  else
    vim.health.info(('%s does not exist: the local engine answers; :Tandem setup adds a model'):format(config))
  end
  return true
end

--- @param client vim.lsp.Client
--- @param bufnr integer
local function check_status(client, bufnr)
  local reply = lsp.call(client, 'request_sync', 'tandem/status', vim.empty_dict(), STATUS_TIMEOUT, bufnr)
  local status = reply and reply.result
  if not status then
    local why = reply and reply.err and reply.err.message or 'no answer in two seconds'
    vim.health.warn('the status request failed: ' .. why, ':Tandem log, then :Tandem restart')
    return
  end
  local advice = ':Tandem doctor checks keys, addresses and models; :Tandem setup adds a model'
  if status.state == 'ready' or status.state == 'local' then
    vim.health.ok(status.text)
  else
    vim.health.warn(status.text, status.state == 'offline' and advice or nil)
  end
  -- A cause is reported once: the status, a gear and each of its candidates may have the same.
  local reported = { status.text }
  local function warn(why, message, remedy)
    for _, known in ipairs(reported) do
      if known:find(why, 1, true) then
        return
      end
    end
    table.insert(reported, why)
    vim.health.warn(message, remedy)
  end
  for _, name in ipairs({ 'fast', 'deep' }) do
    local gear = (status.gears or {})[name] or {}
    if type(gear.degraded) == 'string' then
      warn(gear.degraded, ('%s: %s'):format(name, gear.degraded))
    end
    for _, refused in ipairs(type(gear.refused) == 'table' and gear.refused or {}) do
      local candidate = ('%s: %s at %s: %s'):format(name, refused.model, refused.provider, refused.why)
      warn(refused.why, candidate, advice)
    end
  end
  local reached = vim.tbl_get(status, 'caps', 'reached')
  if type(reached) == 'string' then
    warn(reached, reached)
  end
end

--- Whether a server is attached to a buffer.
local function is_attached()
  return vim.iter(lsp.clients()):any(function(client)
    return next(client.attached_buffers) ~= nil
  end)
end

local function check_files()
  vim.health.start('Files')
  local eligible = vim.iter(vim.api.nvim_list_bufs()):any(function(bufnr)
    return vim.api.nvim_buf_is_loaded(bufnr) and not server.exclusion(bufnr)
  end)
  if eligible and #vim.lsp.get_clients({ name = 'tandem', _uninitialized = true }) > 0 then
    -- A server that has just started, or a file that was just read again, is attached in a moment.
    vim.wait(ATTACH_TIMEOUT, is_attached, 20)
  end
  local any = false
  for _, client in ipairs(lsp.clients()) do
    local last
    for bufnr in pairs(client.attached_buffers) do
      any, last = true, bufnr
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
      vim.health.ok(('%s: running, ghost text is %s'):format(name, ghost.is_on(bufnr) and 'on' or 'off'))
      local conflicts = require('tandem.conflicts').find(bufnr)
      if #conflicts > 0 and ghost.is_on(bufnr) then
        vim.health.warn(table.concat(conflicts, ', ') .. ' also shows ghost text here', {
          'turn one of them off, Tandem with `ghost_text = false` in setup()',
        })
      end
    end
    if last then
      check_status(client, last)
    end
  end
  if not any then
    vim.health.warn('no file is attached to the server', {
      "call require('tandem').setup()",
      'open a file with a filetype that `filetypes` and `enabled` in setup() allow',
      'if the server stopped, :Tandem log shows why, and :Tandem restart starts it again',
    })
  end
end

local function check_keys()
  vim.health.start('Keys')
  if options.current.next_edit then
    local key = require('tandem.keymap').next_edit_key(false)
    if key then
      vim.health.ok(('<%s> jumps to next edits and applies them'):format(key))
    elseif vim.fn.maparg('<Tab>', 'n', false, true).callback then
      vim.health.info('<Tab> in normal mode is mapped to a function, which may jump to next edits and apply them')
    else
      vim.health.warn('no key is mapped to next edits', ':help tandem-keys')
    end
  end
  if not options.current.ghost_text then
    return vim.health.info('ghost text is turned off in setup()')
  end
  local mapped = vim.fn.hasmapto('<Plug>(tandem-accept)', 'i') == 1
  local tab = vim.fn.maparg('<Tab>', 'i', false, true)
  if mapped or (tab.callback ~= nil and tab.callback == require('tandem').tab) then
    vim.health.ok('a key accepts ghost text')
  elseif tab.callback or (tab.rhs or ''):find('tandem') then
    vim.health.info('<Tab> is mapped to a function, which may accept ghost text')
  else
    vim.health.warn('no key is mapped to accept ghost text', ':help tandem-keys')
  end
end

function M.check()
  check_neovim()
  if check_server() then
    check_files()
    check_keys()
  end
end

return M
