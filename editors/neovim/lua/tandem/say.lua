--- Messages to the user. What is wrong is said once for each cause, with what to do about it.

local M = {}

--- @param message string
--- @param level? integer
function M.say(message, level)
  vim.notify('Tandem: ' .. message, level or vim.log.levels.INFO)
end

--- @param message string
function M.warn(message)
  M.say(message, vim.log.levels.WARN)
end

--- @type table<string, true>
local told = {}

--- Warns, unless this cause was already told in this session.
--- @param cause string
--- @param message string
--- @param level? integer
function M.once(cause, message, level)
  if not told[cause] then
    told[cause] = true
    -- After the screen is there to show it.
    vim.schedule(function()
      M.say(message, level or vim.log.levels.WARN)
    end)
  end
end

--- The cause is gone: should it come back, it is told again.
--- @param cause string
function M.forget(cause)
  told[cause] = nil
end

--- A line that stays out of the list of messages.
--- @param message string
function M.echo(message)
  vim.api.nvim_echo({ { 'Tandem: ' .. message } }, false, {})
end

return M
