--- `:Tandem doctor`: checks configuration, keys and models, and shows the result in a window.

local notify = require('tandem.notify')
local server = require('tandem.server')

local M = {}

function M.run()
  local cmd, problem = server.command()
  if not cmd then
    return notify.warn(problem --[[@as string]])
  end
  notify.echo('checking …')
  -- The same program, environment and folder as the server.
  vim.system(
    { cmd[1], 'doctor' },
    { text = true },
    vim.schedule_wrap(function(run)
      local text = vim.trim((run.stdout or '') .. '\n' .. (run.stderr or ''))
      require('tandem.window').open('doctor', vim.split(text, '\n'))
    end)
  )
end

return M
