--- What the server says of itself: for the statusline, for `:Tandem status` and `:Tandem why`, and its sleep.

local lsp = require('tandem.lsp')
local say = require('tandem.say')
local server = nil -- Loaded when it is needed: it needs this module's handlers.

local M = {}

--- The last status of each server.
--- @type table<integer, table?>
local statuses = {}

--- @param bufnr integer
--- @return vim.lsp.Client?
local function need(bufnr)
  server = server or require('tandem.server')
  return server.need(bufnr)
end

--- @param client_id integer
--- @param status table
local function learn(client_id, status)
  statuses[client_id] = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'TandemStatus', modeline = false, data = status })
  vim.cmd.redrawstatus({ bang = true })
end

--- For the client's configuration.
M.handlers = {
  ['tandem/statusChanged'] = function(_, status, ctx)
    learn(ctx.client_id, status)
  end,
}

--- JSON's null is nothing.
local function given(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

--- @param ms integer? In unix time
--- @return integer? minutes From now, rounded up
local function minutes_until(ms)
  return ms and math.max(0, math.ceil((ms / 1000 - os.time()) / 60))
end

--- The last status of a buffer's server.
--- @param bufnr integer
--- @return table?
function M.of(bufnr)
  local client = lsp.client(bufnr)
  return client and statuses[client.id]
end

--- @param status table
--- @return string
local function brief(status)
  local state, gears = status.state, status.gears or {}
  if state == 'snoozed' then
    local minutes = minutes_until(given(status.snoozedUntil))
    return minutes and ('snoozed %d min'):format(minutes) or 'snoozed'
  end
  local fast = gears.fast or {}
  local model = given(fast.served) or given(fast.asked)
  if state == 'ready' and model then
    return 'fast: ' .. model
  elseif state == 'degraded' and model then
    return ('fast: %s, degraded'):format(model)
  elseif state == 'capped' then
    return 'cap reached'
  end
  return state
end

--- A component for a statusline: the gear and its model, or why there is none, and what the session cost. Empty where
--- Tandem does not work.
--- @return string
function M.statusline()
  local bufnr = vim.api.nvim_win_get_buf(vim.g.statusline_winid or 0)
  if not lsp.client(bufnr) then
    return ''
  end
  local status = M.of(bufnr)
  if not status then
    return 'Tandem …'
  end
  local dollars = vim.tbl_get(status, 'usage', 'session', 'dollars')
  local cost = type(dollars) == 'number' and dollars > 0 and (' $%.2f'):format(dollars) or ''
  -- With `indicator_only`, ghost text is not drawn until it is asked for.
  local sign = status.available == true and ' ✦' or ''
  return (('Tandem ' .. brief(status) .. cost .. sign):gsub('%%', '%%%%'))
end

--- @param name string
--- @param gear table
--- @return string
local function describe_gear(name, gear)
  local parts = { gear.state }
  local served, asked = given(gear.served), given(gear.asked)
  if served or asked then
    local model = served or asked
    table.insert(parts, ('%s (%s)'):format(model, given(gear.provider) or '?'))
    if served and asked and served ~= asked then
      table.insert(parts, ('asked for %s'):format(asked))
    end
  end
  if given(gear.tier) then
    table.insert(parts, ('tier %s'):format(gear.tier))
  end
  if given(gear.firstTokenMs) then
    table.insert(parts, ('first token after %d ms'):format(gear.firstTokenMs))
  end
  if given(gear.tokensPerSecond) then
    table.insert(parts, ('%d tokens/s'):format(gear.tokensPerSecond))
  end
  local lines = ('%-6s %s'):format(name, table.concat(parts, ', '))
  if given(gear.degraded) then
    lines = lines .. '\n       degraded: ' .. gear.degraded
  end
  for _, refused in ipairs(given(gear.refused) or {}) do
    lines = lines .. ('\n       refused: %s at %s: %s'):format(refused.model, refused.provider, refused.why)
  end
  return lines
end

--- @param usage table
--- @return string
local function describe_usage(usage)
  local parts = {
    ('%d requests'):format(usage.requests or 0),
    ('%d tokens in (%d of them cached)'):format(usage.inputTokens or 0, usage.cachedTokens or 0),
    ('%d out'):format(usage.outputTokens or 0),
    ('$%.4f'):format(usage.dollars or 0),
  }
  if (usage.unpriced or 0) > 0 then
    table.insert(parts, ('%d requests have no price'):format(usage.unpriced))
  end
  return table.concat(parts, ', ')
end

--- A status for people.
--- @param status table
--- @param ghost_text boolean Whether this editor shows it in the file
--- @return string[]
function M.describe(status, ghost_text)
  local lines = { ('Tandem %s: %s'):format(status.serverVersion, status.text), '' }
  for _, name in ipairs({ 'local', 'fast', 'deep' }) do
    local gear = (status.gears or {})[name]
    if gear then
      vim.list_extend(lines, vim.split(describe_gear(name, gear), '\n'))
    end
  end
  local file = given(status.file)
  if file then
    local why = given(file.why)
    table.insert(lines, ('file   %s%s'):format(file.state, why and ': ' .. why or ''))
  end
  table.insert(lines, ('ghost  text is %s; eagerness %s'):format(ghost_text and 'on' or 'off', status.eagerness))
  local minutes = minutes_until(given(status.snoozedUntil))
  if minutes then
    table.insert(lines, ('snooze %d more minutes (:Tandem snooze 0 ends it)'):format(minutes))
  end
  local reached = vim.tbl_get(status, 'caps', 'reached')
  if given(reached) then
    table.insert(lines, 'cap    ' .. reached)
  end
  for _, span in ipairs({ 'session', 'day' }) do
    local usage = vim.tbl_get(status, 'usage', span)
    if usage then
      table.insert(lines, ('%-7s%s'):format(span == 'day' and 'today' or 'here', describe_usage(usage)))
    end
  end
  local counts = given(status.suggestions)
  if counts then
    local seen = 'seen   %d suggestions, %d accepted, %d rejected'
    table.insert(lines, seen:format(counts.shown, counts.accepted, counts.rejected))
  end
  return lines
end

--- Shows what Tandem does for the current file.
function M.show()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = need(bufnr)
  if not client then
    return
  end
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  lsp.request(client, 'tandem/status', params, bufnr, function(err, status)
    if err then
      return say.warn(err.message)
    end
    learn(client.id, status)
    require('tandem.window').open('status', M.describe(status, require('tandem.ghost').is_on(bufnr)))
  end)
end

--- Shows what Tandem decided in the current file, and why.
function M.why()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = need(bufnr)
  if not client then
    return
  end
  local argument = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  lsp.execute(client, 'tandem.why', argument, bufnr, function(err, result)
    if err then
      return say.warn(err.message)
    end
    local text = vim.trim(result.text)
    require('tandem.window').open('why', vim.split(text ~= '' and text or 'nothing was decided yet', '\n'))
  end)
end

--- Switches suggestions off for a while, for all files.
--- @param minutes? number 0 switches them on again; nil is what the server takes for a while
function M.snooze(minutes)
  local bufnr = vim.api.nvim_get_current_buf()
  if not need(bufnr) then
    return
  end
  for _, client in ipairs(lsp.clients()) do
    lsp.execute(client, 'tandem.snooze', minutes and { minutes = minutes } or nil, bufnr, function(err, result)
      if err then
        return say.warn(err.message)
      end
      local left = minutes_until(given(result.snoozedUntil))
      if left then
        require('tandem.ghost').clear()
        require('tandem.next').clear()
      end
      say.echo(left and ('quiet for %d min (:Tandem snooze 0 ends it)'):format(left) or 'awake')
    end)
  end
end

--- @param group integer The group for autocommands
function M.setup(group)
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == 'tandem' and not statuses[client.id] then
        lsp.request(client, 'tandem/status', vim.empty_dict(), event.buf, function(err, status)
          if not err and status then
            learn(client.id, status)
          end
        end)
      end
      vim.cmd.redrawstatus({ bang = true })
    end,
  })
end

return M
