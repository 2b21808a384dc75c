--- `:Tandem doctor`: the server's own examination, in a window.

local say = require('tandem.say')
local server = require('tandem.server')

local M = {}

function M.run()
  local cmd, problem = server.command()
  if not cmd then
    return say.warn(problem --[[@as string]])
  end
  say.echo('examining …')
  -- As the editor sees the world: the same program, environment and folder.
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
