--- `:Tandem model`: the candidates of each gear with their speed and price, and one of them to be asked first.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local server = require('tandem.server')

local M = {}

--- @class tandem.Candidate
--- @field gear string
--- @field provider string
--- @field model string
--- @field name string As it is shown
--- @field hasTurn boolean
--- @field isPicked boolean
--- @field isUsable boolean
--- @field why? string Why it is passed over
--- @field firstTokenMs? integer
--- @field tokensPerSecond? integer
--- @field price? {input: number, output: number} In dollars per million tokens

--- The candidates of all gears, each with its gear. JSON's null is nil in them.
--- @param models table
--- @return tandem.Candidate[]
local function candidates(models)
  local found = {}
  for _, gear in ipairs({ 'fast', 'deep' }) do
    for _, it in ipairs(models[gear]) do
      local candidate = { gear = gear }
      for name, value in pairs(it) do
        candidate[name] = value ~= vim.NIL and value or nil
      end
      table.insert(found, candidate)
    end
  end
  return found
end

--- One line: who it is, how fast it was here, and what it costs.
--- @param it tandem.Candidate
--- @return string
function M.describe(it)
  local facts = {}
  if it.hasTurn then
    table.insert(facts, it.isPicked and 'in use, for this session' or 'in use')
  end
  if it.why then
    table.insert(facts, notify.in_editor(it.why))
  end
  if it.firstTokenMs then
    table.insert(facts, ('first token after %d ms'):format(it.firstTokenMs))
  end
  if it.tokensPerSecond then
    table.insert(facts, ('%d tokens/s'):format(it.tokensPerSecond))
  end
  if it.price then
    local is_free = it.price.input == 0 and it.price.output == 0
    local price = ('$%.2f per million tokens read, $%.2f written'):format(it.price.input, it.price.output)
    table.insert(facts, is_free and 'free' or price)
  end
  return ('%s: %s (%s)%s'):format(
    it.gear,
    it.name,
    it.provider,
    #facts > 0 and ' — ' .. table.concat(facts, ', ') or ''
  )
end

--- Has every server ask a candidate first in this session, or, without one, those that the settings name first.
--- @param gear string
--- @param it? tandem.Candidate
--- @param bufnr integer
--- @param done fun()
local function use(gear, it, bufnr, done)
  local argument = { gear = gear, provider = it and it.provider, model = it and it.model }
  for i, client in ipairs(lsp.clients()) do
    lsp.execute(client, 'tandem.useModel', argument, bufnr, function(err)
      if err then
        notify.warn(err.message)
      elseif i == 1 then
        done()
      end
    end)
  end
end

--- Writes a candidate into the configuration as the first of its gear, and ends what holds for the session.
--- @param it tandem.Candidate
--- @param bufnr integer
local function keep(it, bufnr)
  local cmd, problem = server.command()
  if not cmd then
    return notify.warn(problem --[[@as string]])
  end
  local command = { cmd[1], 'model', it.provider, it.model }
  if it.gear == 'deep' then
    table.insert(command, '--deep')
  end
  vim.system(
    command,
    { text = true },
    vim.schedule_wrap(function(result)
      local said = vim.trim(result.code == 0 and result.stdout or result.stderr):gsub('^tandem: ', '')
      if result.code ~= 0 then
        return notify.warn(said)
      end
      use(it.gear, nil, bufnr, function()
        notify.show(said)
      end)
    end)
  )
end

--- Says that a gear has no other model.
--- @param it tandem.Candidate
local function say_only(it)
  local described = M.describe(it):sub(#it.gear + #': ' + 1)
  notify.show(('the only %s model is %s; `:Tandem setup` adds another'):format(it.gear, described))
end

--- Lists the candidates, and asks whether the chosen one is to be used in this session or for good.
function M.run()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.require_client(bufnr)
  if not client then
    return
  end
  lsp.execute(client, 'tandem.models', nil, bufnr, function(err, models)
    if err then
      return notify.warn(err.message)
    end
    local rows = candidates(models)
    if #rows == 0 then
      return notify.warn('no model is configured; `tandem setup` adds one')
    end
    if #rows == 1 then
      return say_only(rows[1])
    end
    vim.ui.select(rows, { prompt = 'Model:', kind = 'tandem-candidate', format_item = M.describe }, function(it)
      if not it then
        return
      elseif not it.isUsable then
        return notify.warn(('%s cannot be used: %s'):format(it.name, it.why))
      elseif #models[it.gear] == 1 then
        return say_only(it)
      end
      local session, good = 'for this session', 'for good (in the configuration file)'
      vim.ui.select({ session, good }, { prompt = ('Use %s'):format(it.name), kind = 'tandem-span' }, function(span)
        if span == session then
          use(it.gear, it, bufnr, function()
            notify.show(('the %s model is now %s, for this session'):format(it.gear, it.name))
          end)
        elseif span == good then
          keep(it, bufnr)
        end
      end)
    end)
  end)
end

return M
