--- `:checkhealth tandem`

local M = {}

local function check_neovim()
  vim.health.start('Neovim')
  local version = tostring(vim.version())
  if vim.lsp.inline_completion then
    vim.health.ok(version)
  elseif vim.fn.has('nvim-0.10') == 1 then
    vim.health.warn(version .. ': rewrites work, ghost text needs Neovim 0.12', 'update Neovim to see ghost text')
  else
    vim.health.error(version .. ' is too old', 'update Neovim: rewrites need 0.10, ghost text needs 0.12')
  end
end

--- @return boolean runnable
local function check_server()
  vim.health.start('The server')
  local cmd, problem = require('tandem').command()
  if not cmd then
    vim.health.error(problem --[[@as string]])
    return false
  end
  local run = vim.system({ cmd[1], '--version' }, { text = true }):wait(5000)
  if run.code ~= 0 then
    vim.health.error(('`%s --version` failed'):format(cmd[1]), vim.split(vim.trim(run.stderr or ''), '\n'))
    return false
  end
  vim.health.ok(('%s (%s)'):format(vim.trim(run.stdout), cmd[1]))
  local config = require('tandem').config_path()
  if vim.uv.fs_stat(config) then
    vim.health.info('configuration: ' .. config)
  else
    vim.health.info(('there is no %s: the local engine answers, unless `settings` names a model'):format(config))
  end
  return true
end

local function check_files()
  vim.health.start('Files')
  local any = false
  for _, client in ipairs(require('tandem').clients()) do
    for bufnr in pairs(client.attached_buffers) do
      any = true
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
      local ghost = require('tandem.ghost').is_on(client, bufnr) and 'on' or 'off'
      vim.health.ok(('%s: running, ghost text is %s'):format(name, ghost))
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

function M.check()
  check_neovim()
  if check_server() then
    check_files()
  end
end

return M
