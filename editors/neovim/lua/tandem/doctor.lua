--- Commands whose report is shown in a window: `:Tandem doctor` checks configuration, keys and models, `:Tandem usage`
--- sums up what was suggested, kept and spent.

local notify = require('tandem.notify')
local server = require('tandem.server')

local M = {}

--- @param name? 'doctor'|'usage' default: doctor
function M.run(name)
  name = name or 'doctor'
  local cmd, problem = server.command()
  if not cmd then
    return notify.warn(problem --[[@as string]])
  end
  local doing = name == 'doctor' and 'checking' or 'adding up'
  notify.progress(doing)
  -- The same program, environment and folder as the server.
  vim.system(
    { cmd[1], name },
    { text = true },
    vim.schedule_wrap(function(run)
      notify.arrived(doing)
      local text = vim.trim((run.stdout or '') .. '\n' .. (run.stderr or ''))
      require('tandem.window').open(name, vim.split(text, '\n'))
    end)
  )
end

return M
