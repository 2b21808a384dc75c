--- Points once to the reasons if nothing was shown for a while.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')

local M = {}

--- The keys in a row after which nothing was shown for a while: a few minutes of typing.
local MAX_KEYS = 200

local keys = 0

--- The file that exists after that was done.
local function marker()
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'tandem', 'silence-explained')
end

--- A suggestion was shown.
function M.reset()
  keys = 0
end

--- @param group integer The group for autocommands
function M.setup(group)
  if vim.uv.fs_stat(marker()) then
    return
  end
  vim.api.nvim_create_autocmd('InsertCharPre', {
    group = group,
    callback = function(event)
      keys = keys + (lsp.client(event.buf) and 1 or 0)
      if keys < MAX_KEYS then
        return
      end
      vim.schedule(function()
        notify.show('no suggestions for a while; `:Tandem why` shows why')
        vim.fn.mkdir(vim.fs.dirname(marker()), 'p')
        vim.fn.writefile({}, marker())
      end)
      -- Removes this autocommand.
      return true
    end,
  })
end

return M
