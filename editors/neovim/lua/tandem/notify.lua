--- Messages to the user. A problem is reported once for each cause, with the remedy.

local M = {}

--- Shows a message, as information unless `level` is given.
--- @param message string
--- @param level? integer
function M.show(message, level)
  vim.notify('Tandem: ' .. message, level or vim.log.levels.INFO)
end

--- @param message string
function M.warn(message)
  M.show(message, vim.log.levels.WARN)
end

--- @type table<string, true>
local shown = {}

--- Warns, unless this cause was already reported in this session.
--- @param cause string
--- @param message string
--- @param level? integer
function M.once(cause, message, level)
  if not shown[cause] then
    shown[cause] = true
    -- At startup the screen cannot show messages yet.
    vim.schedule(function()
      M.show(message, level or vim.log.levels.WARN)
    end)
  end
end

--- Shows a message without adding it to `:messages`.
--- @param message string
function M.echo(message)
  vim.api.nvim_echo({ { 'Tandem: ' .. message } }, false, {})
end

return M
