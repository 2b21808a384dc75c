--- Remedies for the problem that the last message of the server reports: `:Tandem remedy` lists them.

local trouble = require('tandem.trouble')

local M = {}

--- @class tandem.Remedy
--- @field label string
--- @field run fun()

--- @type table<string, tandem.Remedy>
local REMEDIES = {
  key = {
    label = 'Enter a key, or choose another provider',
    run = function()
      require('tandem.setup').run()
    end,
  },
  model = {
    label = 'Switch the model',
    run = function()
      require('tandem.model').run()
    end,
  },
  today = {
    label = 'Raise the budget for today, in this session',
    run = function()
      local bufnr = vim.api.nvim_get_current_buf()
      local client = require('tandem.server').require_client(bufnr)
      if client then
        require('tandem.lsp').execute(client, 'tandem.raiseBudget', vim.empty_dict(), bufnr, function(err)
          if err then
            require('tandem.notify').say(err.message, vim.log.levels.WARN)
          end
        end)
      end
    end,
  },
  budget = {
    label = 'Raise the budget in the configuration file',
    run = function()
      vim.cmd.edit(vim.fn.fnameescape(require('tandem.server').config_path()))
    end,
  },
  configuration = {
    label = 'Open the configuration file',
    run = function()
      vim.cmd.edit(vim.fn.fnameescape(require('tandem.server').config_path()))
    end,
  },
  rest = {
    label = 'Go on with the uses that no longer fit',
    run = function()
      local client = require('tandem.server').require_client(vim.api.nvim_get_current_buf())
      if client then
        require('tandem.left').go_on(client, trouble.rest())
      end
    end,
  },
  retry = {
    label = 'Try again',
    run = function()
      require('tandem').restart()
    end,
  },
  doctor = {
    label = 'Check configuration, keys and models',
    run = function()
      require('tandem.doctor').run()
    end,
  },
}

--- Lists what helps against the last trouble, and does what is chosen.
function M.run()
  local remedies = vim.tbl_map(function(name)
    return REMEDIES[name]
  end, trouble.remedies())
  if #remedies == 0 then
    return require('tandem.notify').echo('no remedy to offer yet (:Tandem doctor)')
  end
  local opts = {
    prompt = 'What to do:',
    kind = 'tandem-remedy',
    format_item = function(it)
      return it.label
    end,
  }
  vim.ui.select(remedies, opts, function(it)
    if it then
      it.run()
    end
  end)
end

return M
