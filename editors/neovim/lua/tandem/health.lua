--- `:checkhealth tandem`

local ghost = require('tandem.ghost')
local lsp = require('tandem.lsp')
local options = require('tandem.options')
local server = require('tandem.server')

local M = {}

--- What a server may take to tell its status, in ms.
local PATIENCE = 2000

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
      ('changes are held back for %d ms'):format(debounce),
      'take `flags.debounce_text_changes` out of vim.lsp.config: next edits come late by it'
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
    local says = ('`%s` is not Tandem; it says: %s'):format(cmd[1], vim.trim(run.stdout))
    vim.health.error(says, 'correct `cmd` in setup()')
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
    vim.health.info(('there is no %s: the local engine answers, unless `settings` names a model'):format(config))
  end
  return true
end

--- @param client vim.lsp.Client
--- @param bufnr integer
local function check_status(client, bufnr)
  local reply = lsp.call(client, 'request_sync', 'tandem/status', vim.empty_dict(), PATIENCE, bufnr)
  local status = reply and reply.result
  if not status then
    local why = reply and reply.err and reply.err.message or 'no answer in two seconds'
    vim.health.warn('it does not tell its status: ' .. why, ':Tandem log, then :Tandem restart')
    return
  end
  local report = (status.state == 'ready' or status.state == 'local') and vim.health.ok or vim.health.warn
  report(status.text)
  for _, name in ipairs({ 'fast', 'deep' }) do
    local gear = (status.gears or {})[name] or {}
    if type(gear.degraded) == 'string' then
      vim.health.warn(('%s: %s'):format(name, gear.degraded))
    end
    for _, refused in ipairs(type(gear.refused) == 'table' and gear.refused or {}) do
      vim.health.warn(('%s: %s at %s: %s'):format(name, refused.model, refused.provider, refused.why), {
        ':Tandem doctor examines keys, addresses and models',
      })
    end
  end
  local reached = vim.tbl_get(status, 'caps', 'reached')
  if type(reached) == 'string' then
    vim.health.warn(reached)
  end
end

local function check_files()
  vim.health.start('Files')
  local any = false
  for _, client in ipairs(lsp.clients()) do
    local last
    for bufnr in pairs(client.attached_buffers) do
      any, last = true, bufnr
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
      vim.health.ok(('%s: running, ghost text is %s'):format(name, ghost.is_on(bufnr) and 'on' or 'off'))
      local rivals = require('tandem.rivals').find(bufnr)
      if #rivals > 0 and ghost.is_on(bufnr) then
        vim.health.warn(table.concat(rivals, ', ') .. ' shows ghost text here, too', {
          'switch one of them off, or ours by `ghost_text = false` in setup()',
        })
      end
    end
    if last then
      check_status(client, last)
    end
  end
  if not any then
    vim.health.warn('it is running for no file', {
      "call require('tandem').setup()",
      'open a file whose filetype Neovim knows, and which `filetypes` and `enabled` let pass',
      'if it stopped, :Tandem log says why and :Tandem restart starts it again',
    })
  end
end

local function check_keys()
  vim.health.start('Keys')
  if not options.current.ghost_text then
    return vim.health.info('ghost text is switched off in setup()')
  end
  local mapped = vim.fn.hasmapto('<Plug>(tandem-accept)', 'i') == 1
  local tab = vim.fn.maparg('<Tab>', 'i', false, true)
  if mapped then
    vim.health.ok('a key is mapped to <Plug>(tandem-accept)')
  elseif tab.callback or (tab.rhs or ''):find('tandem') then
    vim.health.info('<Tab> has a function; whether that accepts ghost text cannot be seen from here')
  else
    vim.health.warn('no key accepts ghost text', ':help tandem-keys')
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
