--- `:Tandem record`: switches the recorder, and shows, opens or deletes its files.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local server = require('tandem.server')

local M = {}

--- What the command takes.
M.ACTIONS = { 'delete', 'off', 'on', 'show' }

--- How often, and at which interval in ms, the servers are asked whether they follow.
local MOST_LOOKS, LOOK_INTERVAL = 10, 300

--- Runs `tandem record`, and calls `done` with what it prints. A failure is reported.
--- @param action string
--- @param done fun(text: string)
local function run(action, done)
  local cmd, problem = server.command()
  if not cmd then
    return notify.warn(problem --[[@as string]])
  end
  -- The same program and environment as the server.
  vim.system(
    { cmd[1], 'record', action },
    { text = true },
    vim.schedule_wrap(function(result)
      if result.code ~= 0 then
        return notify.warn((vim.trim(result.stderr or ''):gsub('^tandem: ', '')))
      end
      done(vim.trim(result.stdout or ''))
    end)
  )
end

--- The newest file of the recording.
--- @return string? path
local function newest_file()
  local state = vim.env.XDG_STATE_HOME
  if not state or not vim.startswith(state, '/') then
    state = vim.env.HOME and vim.fs.joinpath(vim.env.HOME, '.local', 'state') or vim.env.LOCALAPPDATA or ''
  end
  local folder = vim.fs.joinpath(vim.env.TANDEM_STATE or vim.fs.joinpath(state, 'tandem'), 'recording')
  local newest
  for name in vim.fs.dir(folder) do
    -- A name begins with the time at which a server started to record.
    if vim.endswith(name, '.jsonl') and (not newest or name > newest) then
      newest = name
    end
  end
  return newest and vim.fs.joinpath(folder, newest)
end

--- Asks the servers until all of them follow, at most `looks` times: a file without content is read late.
--- @param is_on boolean
--- @param looks integer
--- @param done fun(followed: boolean)
local function ask(is_on, looks, done)
  local clients = lsp.clients()
  local waiting, followed = #clients, true
  local function answered()
    if waiting > 0 then
      return
    elseif followed or looks <= 1 then
      return done(followed)
    end
    vim.defer_fn(function()
      ask(is_on, looks - 1, done)
    end, LOOK_INTERVAL)
  end
  for _, client in ipairs(clients) do
    -- A server reads the changed configuration when it is asked for its status.
    lsp.request(client, 'tandem/status', vim.empty_dict(), 0, function(err, status)
      waiting = waiting - 1
      followed = followed and (err ~= nil or status.recording == is_on)
      answered()
    end)
  end
  answered()
end

--- Switches the recorder, and says what the servers make of it.
--- @param is_on boolean
function M.turn(is_on)
  local word = is_on and 'on' or 'off'
  run(word, function()
    ask(is_on, MOST_LOOKS, function(followed)
      if followed then
        local more = is_on and ':Tandem record shows what it writes' or ':Tandem record delete removes its files'
        notify.show(('the recorder is %s; %s'):format(word, more))
      else
        local where = 'see `record` in `settings` of setup(), and :Tandem log'
        notify.warn(('the recorder is not %s here; %s'):format(word, where))
      end
    end)
  end)
end

local function show()
  run('show', function(text)
    local lines, newest = vim.split(text, '\n'), newest_file()
    if newest then
      vim.list_extend(lines, { '', newest .. ' (<CR> opens it)' })
    end
    local window = require('tandem.window').open('recording', lines)
    if newest then
      vim.keymap.set('n', '<CR>', function()
        vim.cmd.close()
        vim.cmd.edit(vim.fn.fnameescape(newest))
      end, { buffer = window, nowait = true, desc = 'Open the newest file of the recording' })
    end
  end)
end

local function delete()
  local yes, no = 'delete all of its files', 'keep them'
  vim.ui.select({ yes, no }, { prompt = 'Delete the recording?', kind = 'tandem-recording' }, function(answer)
    if answer == yes then
      run('delete', function(text)
        notify.show(text)
      end)
    end
  end)
end

--- @param action string One of `M.ACTIONS`; empty to show what is recorded
function M.run(action)
  if action == 'on' or action == 'off' then
    M.turn(action == 'on')
  elseif action == 'delete' then
    delete()
  elseif action == 'show' or action == '' then
    show()
  else
    notify.warn(('`:Tandem record` takes `on`, `off`, `show`, `delete` or nothing, not %q'):format(action))
  end
end

return M
