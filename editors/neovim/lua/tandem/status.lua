--- Status text for the statusline, `:Tandem status` and `:Tandem why`; snoozing.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local server = require('tandem.server')

local M = {}

--- The last status of each server.
--- @type table<integer, table?>
local statuses = {}

--- @param client_id integer
--- @param status table
local function update(client_id, status)
  statuses[client_id] = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'TandemStatus', modeline = false, data = status })
  vim.cmd.redrawstatus({ bang = true })
end

--- For the client's configuration.
M.handlers = {
  ['tandem/statusChanged'] = function(_, status, ctx)
    update(ctx.client_id, status)
  end,
}

--- Converts JSON's null to nil.
local function non_null(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

--- The server names the second in which a time ends, which is up to a second later.
local ROUNDED_MS = 1000

--- @param ms integer? Unix time, in whole seconds
--- @return integer? minutes From now, rounded up
local function minutes_until(ms)
  if not ms then
    return nil
  end
  local seconds, microseconds = vim.uv.gettimeofday()
  local left = ms - ROUNDED_MS - seconds * 1000 - microseconds / 1000
  return math.max(0, math.ceil(left / 60000))
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
    local minutes = minutes_until(non_null(status.snoozedUntil))
    return minutes and ('snoozed %d min'):format(minutes) or 'snoozed'
  end
  local fast = gears.fast or {}
  local model = non_null(fast.served) or non_null(fast.asked)
  if state == 'ready' and model then
    return 'fast: ' .. model
  elseif state == 'degraded' and model then
    return ('fast: %s, degraded'):format(model)
  elseif state == 'capped' then
    return 'cap reached'
  end
  return state
end

--- A statusline component: the gear and its model, or the state, and the cost of the session. Empty in buffers that are
--- not attached.
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
  -- With `indicator_only`, ghost text is drawn on explicit request only.
  local sign = status.available == true and ' ✦' or ''
  return (('Tandem ' .. brief(status) .. cost .. sign):gsub('%%', '%%%%'))
end

--- @param name string
--- @param gear table
--- @return string
local function describe_gear(name, gear)
  local parts = { gear.state == 'capped' and 'budget reached' or gear.state }
  local served, asked = non_null(gear.served), non_null(gear.asked)
  if served or asked then
    local model = served or asked
    table.insert(parts, ('%s (%s)'):format(model, non_null(gear.provider) or '?'))
    if served and asked and served ~= asked then
      table.insert(parts, ('asked for %s'):format(asked))
    end
  end
  if non_null(gear.tier) then
    table.insert(parts, ('tier %s'):format(gear.tier))
  end
  if non_null(gear.firstTokenMs) then
    table.insert(parts, ('first token after %d ms'):format(gear.firstTokenMs))
  end
  if non_null(gear.tokensPerSecond) then
    table.insert(parts, ('%d tokens/s'):format(gear.tokensPerSecond))
  end
  local lines = ('%-6s %s'):format(name, table.concat(parts, ', '))
  local refused = non_null(gear.refused) or {}
  local is_told = vim.iter(refused):any(function(it)
    return it.why == gear.degraded
  end)
  if non_null(gear.degraded) and not is_told then
    lines = lines .. '\n       degraded: ' .. gear.degraded
  end
  for _, it in ipairs(refused) do
    lines = lines .. ('\n       refused: %s at %s: %s'):format(it.model, it.provider, it.why)
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

--- A status as lines of text.
--- @param status table
--- @param ghost_text boolean Whether ghost text is on in the buffer
--- @return string[]
function M.describe(status, ghost_text)
  local lines = { ('Tandem %s: %s'):format(status.serverVersion, status.text), '' }
  for _, name in ipairs({ 'local', 'fast', 'deep' }) do
    local gear = (status.gears or {})[name]
    if gear then
      vim.list_extend(lines, vim.split(describe_gear(name, gear), '\n'))
    end
  end
  local file = non_null(status.file)
  if file then
    local why = non_null(file.why)
    local state = file.state == 'followed' and 'gets suggestions' or file.state
    table.insert(lines, ('file   %s%s'):format(state, why and ': ' .. why or ''))
  end
  table.insert(lines, ('ghost  text is %s; eagerness %s'):format(ghost_text and 'on' or 'off', status.eagerness))
  local shared = non_null(status.shared)
  if shared then
    local windows = shared.windows == 1 and '1 window' or ('%d windows'):format(shared.windows)
    table.insert(lines, ('server shared by %s (process %d)'):format(windows, shared.process))
  end
  if status.recording ~= nil then
    table.insert(lines, status.recording and 'record on (<CR> ends it)' or 'record off (<CR> switches it on)')
  end
  local minutes = minutes_until(non_null(status.snoozedUntil))
  if minutes then
    table.insert(lines, ('snooze %d more minutes (:Tandem snooze 0 ends it)'):format(minutes))
  end
  local reached = vim.tbl_get(status, 'caps', 'reached')
  if non_null(reached) then
    table.insert(lines, 'cap    ' .. reached)
  end
  if non_null(status.canary) then
    table.insert(lines, 'trial  ' .. status.canary)
  end
  for _, span in ipairs({ 'session', 'day' }) do
    local usage = vim.tbl_get(status, 'usage', span)
    if usage then
      local label = span == 'session' and 'usage  in this session: ' or '       today: '
      table.insert(lines, label .. describe_usage(usage))
    end
  end
  local counts = non_null(status.suggestions)
  if counts then
    local seen = 'seen   %d suggestions, %d accepted, %d rejected'
    table.insert(lines, seen:format(counts.shown, counts.accepted, counts.rejected))
  end
  return lines
end

--- Shows the status for the current file. <CR> in the row of the recorder switches it.
function M.show()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.require_client(bufnr)
  if not client then
    return
  end
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  lsp.request(client, 'tandem/status', params, bufnr, function(err, status)
    if err then
      return notify.warn(err.message)
    end
    update(client.id, status)
    local lines = M.describe(status, require('tandem.ghost').is_on(bufnr))
    local window = require('tandem.window').open('status', lines)
    vim.keymap.set('n', '<CR>', function()
      if vim.startswith(vim.api.nvim_get_current_line(), 'record ') then
        vim.cmd.close()
        require('tandem.record').turn(not status.recording)
      end
    end, { buffer = window, nowait = true, desc = 'Switch the recorder' })
  end)
end

--- The text of a row's advice.
local ADVICE = {
  ['configure-model'] = 'set up a model',
  ['check-model'] = 'check the model',
  ['raise-eagerness'] = 'raise the eagerness',
  ['end-snooze'] = 'end the snooze',
}

--- The outcomes of requests as lines of text, and the advice on each line.
--- @param decisions table[] Newest first
--- @return string[] lines
--- @return table<integer, string> advice By line number
function M.describe_why(decisions)
  local lines, advice = {}, {}
  local i = 1
  while decisions[i] do
    local decision = decisions[i]
    local jobs = { decision.job }
    -- Ghost text and next edits mostly have the same reason.
    while decisions[i + 1] and decisions[i + 1].line == decision.line and decisions[i + 1].why == decision.why do
      i = i + 1
      if not vim.list_contains(jobs, decisions[i].job) then
        table.insert(jobs, decisions[i].job)
      end
    end
    i = i + 1
    local facts = {
      os.date('%H:%M:%S', math.floor(decision.at / 1000)),
      ('line %d'):format(decision.line + 1),
      table.concat(jobs, ' and '),
      decision.trigger,
      ('%d ms'):format(decision.milliseconds),
      non_null(decision.model) or non_null(decision.gear),
    }
    table.insert(lines, ('%s: %s'):format(decision.outcome, notify.in_editor(decision.why)))
    table.insert(lines, '  ' .. table.concat(facts, ', '))
    local words = ADVICE[non_null(decision.advice)]
    if words then
      table.insert(lines, ('  → %s (<CR>)'):format(words))
      for line = #lines - 2, #lines do
        advice[line] = decision.advice
      end
    end
  end
  return lines, advice
end

--- Does what a row advises.
--- @param advice string
--- @param bufnr integer
local function follow(advice, bufnr)
  if advice == 'configure-model' then
    require('tandem.setup').run()
  elseif advice == 'check-model' then
    require('tandem.doctor').run()
  elseif advice == 'end-snooze' then
    M.snooze(0)
  elseif advice == 'raise-eagerness' then
    local now = M.of(bufnr) or {}
    local eagerness = now.eagerness == 'low' and 'medium' or 'high'
    local settings = vim.tbl_extend('force', require('tandem.options').current.settings, { eagerness = eagerness })
    for _, client in ipairs(lsp.clients()) do
      lsp.notify(client, 'workspace/didChangeConfiguration', { settings = { tandem = settings } })
    end
    notify.echo(('eagerness is %s in this session; `settings` in setup() keeps it'):format(eagerness))
  end
end

--- Shows recent outcomes in the current file, with their reasons. <CR> does what a row advises.
function M.why()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.require_client(bufnr)
  if not client then
    return
  end
  local argument = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  lsp.execute(client, 'tandem.why', argument, bufnr, function(err, result)
    if err then
      return notify.warn(err.message)
    end
    local lines, advice = M.describe_why(result.decisions)
    local window = require('tandem.window').open('why', #lines > 0 and lines or { 'nothing has been requested yet' })
    vim.keymap.set('n', '<CR>', function()
      local chosen = advice[vim.api.nvim_win_get_cursor(0)[1]]
      if chosen then
        vim.cmd.close()
        follow(chosen, bufnr)
      end
    end, { buffer = window, nowait = true, desc = 'Do what this row advises' })
  end)
end

--- Snoozes suggestions in all files.
--- @param minutes? number 0 ends it; nil is the server's default
function M.snooze(minutes)
  local bufnr = vim.api.nvim_get_current_buf()
  if not server.require_client(bufnr) then
    return
  end
  for _, client in ipairs(lsp.clients()) do
    lsp.execute(client, 'tandem.snooze', minutes and { minutes = minutes } or nil, bufnr, function(err, result)
      if err then
        return notify.warn(err.message)
      end
      local left = minutes_until(non_null(result.snoozedUntil))
      if left then
        require('tandem.ghost').clear()
        require('tandem.next_edit').clear()
      end
      notify.echo(left and ('snoozed for %d min (:Tandem snooze 0 ends it)'):format(left) or 'no longer snoozed')
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
            update(client.id, status)
          end
        end)
      end
      vim.cmd.redrawstatus({ bang = true })
    end,
  })
end

return M
