--- Requests that the user waits for, and can cancel: questions, jobs, plans and rewrites.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')

local M = {}

--- @class tandem.Pending
--- @field client vim.lsp.Client
--- @field request integer?
--- @field what string The message until it is over
--- @field is_over boolean Whether it was answered or cancelled

--- Those without an answer yet, the newest last.
--- @type tandem.Pending[]
local pending = {}

--- @param it tandem.Pending
local function finish(it)
  it.is_over = true
  notify.arrived(it.what)
  pending = vim.tbl_filter(function(other)
    return other ~= it
  end, pending)
end

--- Executes a command of the server, and shows why it failed if it does.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param command string
--- @param argument table
--- @param what string The message until it is answered
--- @param on_result fun(result: table)
--- @return tandem.Pending
function M.execute(client, bufnr, command, argument, what, on_result)
  notify.progress(what)
  local sent = { client = client, what = what, is_over = false }
  table.insert(pending, sent)
  sent.request = lsp.execute(client, command, argument, bufnr, function(err, result)
    finish(sent)
    if err then
      notify.say(err.message, vim.log.levels.WARN)
    elseif type(result) == 'table' then
      on_result(result)
    end
  end)
  if not sent.request then
    finish(sent)
  end
  return sent
end

--- Cancels the newest one.
function M.cancel()
  local newest = pending[#pending]
  if not newest then
    return notify.echo('nothing is running')
  end
  finish(newest)
  -- Neovim drops the answer to a cancelled request.
  lsp.cancel(newest.client, newest.request)
  notify.echo('cancelled; nothing was changed')
end

return M
