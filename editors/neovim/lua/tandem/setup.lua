--- `:Tandem setup`: asks for a provider, its key and a model; the program tests it and writes the configuration.
--- `:Tandem profile` switches between profiles of the configuration.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local server = require('tandem.server')

local M = {}

--- How many providers are offered at first, unless more are at hand.
local FIRST = 6
--- The cells that the number of a row takes, and the margin of the screen.
local NUMBER_CELLS = 5

--- Runs the program.
--- @param args string[]
--- @param key? string Goes to standard input: arguments are visible to others
--- @param done fun(run: vim.SystemCompleted)
local function run(args, key, done)
  local cmd, problem = server.command()
  if not cmd then
    return notify.warn(problem --[[@as string]])
  end
  local command = vim.list_extend({ cmd[1] }, args)
  vim.system(command, { text = true, stdin = key and key .. '\n' or '' }, vim.schedule_wrap(done))
end

--- The JSON that the program has printed; nil if it has not, which is reported.
--- @param result vim.SystemCompleted
--- @return table?
local function decode(result)
  local read, answer = pcall(vim.json.decode, result.stdout or '', { luanil = { object = true } })
  if read and type(answer) == 'table' then
    return answer
  end
  local why = vim.trim(result.stderr or ''):gsub('^tandem: ', '')
  notify.warn(why ~= '' and why or ('the program ended with exit code %d'):format(result.code))
end

--- @param problem table
--- @return string
local function problem_text(problem)
  return problem.nextStep ~= '' and ('%s; %s'):format(problem.what, problem.nextStep) or problem.what
end

--- Runs `tandem setup`, and calls `done` with the JSON that it prints. After a key is refused, it prompts for another.
--- @param choice { args: string[], key?: string } What was chosen so far
--- @param more string[] Arguments of this run alone
--- @param done fun(answer: table)
local function ask(choice, more, done)
  local args = vim.list_extend({ 'setup', '--json' }, choice.args)
  if choice.key then
    table.insert(args, '--key-stdin')
  end
  run(vim.list_extend(args, more), choice.key, function(result)
    local answer = decode(result)
    if not answer then
      return
    elseif not answer.problem then
      return done(answer)
    elseif not answer.keyRefused then
      return notify.warn(problem_text(answer.problem))
    end
    local prompt = ('Tandem: %s\nAnother key (empty to stop): '):format(problem_text(answer.problem))
    local key = vim.trim(vim.fn.inputsecret(prompt))
    if key ~= '' then
      choice.key = key
      ask(choice, more, done)
    end
  end)
end

--- Servers read the changed configuration when they are asked for their status.
local function refresh()
  for _, client in ipairs(lsp.clients()) do
    lsp.request(client, 'tandem/status', vim.empty_dict(), vim.api.nvim_get_current_buf(), function() end)
  end
end

--- What is there of a provider, in a row of a list that may be as wide as the screen.
--- @param provider table
--- @return string
local function describe(provider)
  local state = provider.state
  local count = state.models or 0
  local words = ({
    runs = count == 0 and 'running, no model loaded; '
      or ('running, %d model%s; '):format(count, count == 1 and '' or 's'),
    hasKey = 'its key is set; ',
    needsKey = 'needs a key; ',
    absent = 'not running; ',
    elsewhere = '',
  })[state.kind]
  local row = ('%s: %s%s'):format(provider.name, words, provider.about)
  local room = vim.o.columns - NUMBER_CELLS
  return vim.fn.strdisplaywidth(row) <= room and row or vim.fn.printf('%.' .. room - 1 .. 'S…', row)
end

--- The providers that are offered first, and the others. What is at hand comes first: servers that run on this machine,
--- and keys that are set. Then comes what would run here, and those that need a key.
--- @param providers table[] In the order of the program
--- @return table[] first, table[] others
local function split(providers)
  local first, others, is_local_named = {}, {}, false
  for _, provider in ipairs(providers) do
    local kind = provider.state.kind
    if kind == 'runs' or kind == 'hasKey' then
      table.insert(first, provider)
    elseif kind == 'absent' and not is_local_named then
      is_local_named = true
      table.insert(first, provider)
    end
  end
  for _, provider in ipairs(providers) do
    if not vim.list_contains(first, provider) then
      local is_first = provider.state.kind == 'needsKey' and #first < FIRST
      table.insert(is_first and first or others, provider)
    end
  end
  return first, others
end

--- Whether a URL leads to this machine, where servers want no key.
--- @param url string
--- @return boolean
local function is_local(url)
  local host = url:match('^http://([^/]*)')
  host = host and host:gsub(':%d+$', '')
  return host == '127.0.0.1' or host == 'localhost' or host == '[::1]'
end

--- @param model string
--- @param outcome table
local function report(model, outcome)
  local lines = { ('now using %s'):format(model) }
  if outcome.answeredMs then
    lines[1] = lines[1] .. ('; it answered in %d ms'):format(outcome.answeredMs)
  end
  vim.list_extend(lines, outcome.notes)
  if outcome.profileLine then
    local on_windows = vim.fn.has('win32') == 1
    local how = on_windows and 'Run in a terminal, then restart Neovim:' or 'Add to your shell’s profile:'
    table.insert(lines, 'This machine has no keychain, so the key was not stored. ' .. how)
    table.insert(lines, '  ' .. outcome.profileLine)
  end
  notify.show(table.concat(lines, '\n'))
end

--- @param provider table
--- @param models string[]
--- @param preferred? string
--- @param done fun(model: string)
local function choose_model(provider, models, preferred, done)
  local function take(model)
    if model and vim.trim(model) ~= '' then
      done(vim.trim(model))
    end
  end
  if #models == 0 then
    return vim.ui.input({ prompt = ('Model of %s: '):format(provider.name), default = preferred }, take)
  end
  local rows = vim.tbl_filter(function(model)
    return model ~= preferred
  end, models)
  if #rows < #models then
    table.insert(rows, 1, preferred)
  end
  vim.ui.select(rows, { prompt = ('Model of %s:'):format(provider.name), kind = 'tandem-model' }, take)
end

--- @param provider table
--- @param base_url string
--- @param has_deep boolean
local function continue(provider, base_url, has_deep)
  local kind, key = provider.state.kind, nil
  if kind == 'needsKey' or (kind == 'elsewhere' and not is_local(base_url)) then
    local hint = kind == 'needsKey' and provider.keyPage or 'empty for none'
    key = vim.trim(vim.fn.inputsecret(('Key for %s (%s): '):format(provider.name, hint)))
    if key == '' then
      if kind == 'needsKey' then
        return
      end
      key = nil
    end
  end
  local choice = { args = { '--provider', provider.id }, key = key }
  if provider.baseUrl == '' then
    vim.list_extend(choice.args, { '--base-url', base_url })
  end
  notify.echo(('asking %s for its models …'):format(provider.name))
  ask(choice, { '--list' }, function(listed)
    choose_model(provider, listed.models, listed.preferred, function(model)
      vim.list_extend(choice.args, { '--model', model })
      if not has_deep and provider.wire ~= 'fim' then
        table.insert(choice.args, '--deep')
      end
      notify.echo(('testing %s with one small request …'):format(model))
      ask(choice, {}, function(outcome)
        refresh()
        report(model, outcome)
      end)
    end)
  end)
end

--- Asks for a provider, its key and a model.
function M.run()
  notify.echo('looking for models on this machine …')
  ask({ args = {} }, { '--list' }, function(offers)
    local first, others = split(offers.providers)
    local more = ('%d more: other providers, and servers of your own …'):format(#others)
    local opts = {
      prompt = 'Who runs the model?',
      kind = 'tandem-provider',
      format_item = function(it)
        return it == more and more or describe(it)
      end,
    }
    local function take(provider)
      if not provider then
        return
      elseif provider == more then
        return vim.ui.select(others, opts, take)
      elseif provider.baseUrl ~= '' then
        return continue(provider, provider.baseUrl, offers.hasDeep)
      end
      vim.ui.input({ prompt = 'Base URL, such as https://llm.example.com/v1: ' }, function(url)
        if url and vim.trim(url) ~= '' then
          continue(provider, vim.trim(url), offers.hasDeep)
        end
      end)
    end
    vim.ui.select(#others > 0 and vim.list_extend(first, { more }) or first, opts, take)
  end)
end

--- Switches to a profile of the configuration.
--- @param name? string Without it, the user chooses.
function M.profile(name)
  local function switch(chosen)
    local args = { 'profile', chosen == 'none' and '--none' or chosen }
    run(args, nil, function(result)
      local said = vim.trim(result.code == 0 and result.stdout or result.stderr):gsub('^tandem: ', '')
      notify.show(said, result.code ~= 0 and vim.log.levels.WARN or nil)
      refresh()
    end)
  end
  if name then
    return switch(name)
  end
  run({ 'profile', '--json' }, nil, function(result)
    local found = decode(result)
    if not found then
      return
    elseif #found.profiles == 0 then
      return notify.warn('the configuration file has no profiles; add a table [profiles.NAME]')
    end
    local active = found.active or 'none'
    local opts = {
      prompt = 'Switch to profile:',
      format_item = function(it)
        return it == active and it .. ' (active)' or it
      end,
    }
    vim.ui.select(vim.list_extend({ 'none' }, found.profiles), opts, function(chosen)
      if chosen then
        switch(chosen)
      end
    end)
  end)
end

return M
