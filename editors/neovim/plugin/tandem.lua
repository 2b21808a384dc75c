if vim.g.loaded_tandem then
  return
end
vim.g.loaded_tandem = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify_once('Tandem needs Neovim 0.10 for rewrites and 0.12 for ghost text', vim.log.levels.WARN)
  return
end

--- @type table<string, fun(rest: string, first?: integer, last?: integer)>
local subcommands = {
  rewrite = function(instruction, first, last)
    if instruction == '' then
      require('tandem').ask_and_rewrite(first, last)
    else
      require('tandem').rewrite(instruction, first, last)
    end
  end,
  status = function()
    require('tandem').status()
  end,
  log = function()
    require('tandem.log').open()
  end,
  restart = function()
    require('tandem').restart()
  end,
}

vim.api.nvim_create_user_command('Tandem', function(command)
  local name, rest = command.args:match('^(%S+)%s*(.-)%s*$')
  local subcommand = subcommands[name]
  if not subcommand then
    local names = vim.tbl_keys(subcommands)
    table.sort(names)
    local message = ('Tandem: there is no `:Tandem %s`; there are %s'):format(name, table.concat(names, ', '))
    vim.notify(message, vim.log.levels.WARN)
    return
  end
  local given = command.range > 0
  subcommand(rest, given and command.line1 or nil, given and command.line2 or nil)
end, {
  nargs = '+',
  range = true,
  desc = 'Rewrite lines by instruction, and see what Tandem does',
  complete = function(lead, line)
    if line:match('Tandem%s+%S+%s') then
      return {}
    end
    local names = vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, vim.tbl_keys(subcommands))
    table.sort(names)
    return names
  end,
})

vim.keymap.set('i', '<Plug>(tandem-accept)', function()
  require('tandem').accept()
end, { desc = 'Accept the ghost text' })
