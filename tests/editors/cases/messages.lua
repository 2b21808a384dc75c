-- Messages on a real screen: none asks for a key, whatever its length.

local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start

--- What is shown in the last line, once no key is waited for.
local function last_line(editor)
  local mode = vim.rpcrequest(editor.channel, 'nvim_get_mode')
  if mode.blocking then
    return 'waits for a key'
  end
  return editor:lua([[
    vim.cmd.redraw()
    local line = ''
    for column = 1, vim.o.columns do
      line = line .. vim.fn.screenstring(vim.o.lines, column)
    end
    return vim.trim(line)
  ]])
end

local function shows(editor, expected)
  eventually('the last line', function()
    return last_line(editor)
  end, expected)
end

local function drawn()
  return start({ text = 'ˇ\n', simulator = false, screen = { 60, 12 } })
end

case('long message is shortened on screen and whole in :messages', function()
  local editor = drawn()
  local long = ('the server is 遠い and says so at length; '):rep(40)
  editor:lua("require('tandem.notify').warn(...)", long)
  shows(editor, 'Tandem: the server is 遠い and say … (:messages)')
  local kept = editor:lua("return vim.api.nvim_exec2('messages', { output = true }).output")
  assert(kept:gsub('\n', ' '):find(vim.trim(long), 1, true), kept)
  assert(not kept:find('…', 1, true), 'the shortened one is not kept')
end)

case('message of several lines and several messages at once ask for no key', function()
  local editor = drawn()
  editor:lua("require('tandem.notify').show('one\\ntwo\\nthree')")
  shows(editor, 'Tandem: one … (:messages)')
  editor:lua([[
    local notify = require('tandem.notify')
    for number = 1, 20 do
      notify.show('message ' .. number)
    end
    notify.echo(('a long instruction '):rep(20))
  ]])
  shows(editor, 'Tandem: a long instruction a long instruction a…')
end)

case('what is on its way is said until its result is in a window', function()
  local answer = { result = { text = 'It is one.' }, after = 300 }
  local editor = start({
    text = 'ˇ\n',
    screen = { 60, 12 },
    server = { replies = { ['workspace/executeCommand'] = { answer, answer } } },
  })
  editor:attached()
  editor:keys(':Tandem job explain<CR>')
  shows(editor, 'Tandem: explaining …')
  eventually('the window', function()
    return editor:text()
  end, 'It is one.\n')
  shows(editor, '')
  -- What was said since stays.
  editor:keys('q:Tandem job explain<CR>')
  shows(editor, 'Tandem: explaining …')
  editor:lua("require('tandem.notify').show('something else')")
  eventually('the window', function()
    return editor:text()
  end, 'It is one.\n')
  shows(editor, 'Tandem: something else')
end)

case('long message of the server asks for no key', function()
  local editor = drawn()
  local long = 'Tandem: ' .. ('no fast model answers; '):rep(40)
  editor:lua("require('tandem.log').handlers['window/showMessage'](nil, { type = 2, message = ... })", long)
  shows(editor, 'Tandem: no fast model answers; no … (:messages)')
end)

case('message of trouble names the command that lists what helps', function()
  local editor = drawn()
  local function told(message)
    editor:lua("require('tandem.log').handlers['window/showMessage'](nil, { type = 2, message = ... })", message)
  end
  editor:lua([[
    vim.ui.select = function(items, opts, done)
      _G.offered = vim.tbl_map(opts.format_item, items)
      done(items[#items - 1])
    end
    require('tandem.model').run = function()
      _G.has_run = 'model'
    end
  ]])
  editor:keys(':Tandem remedy<CR>')
  shows(editor, 'Tandem: no remedy to offer yet (:Tandem doctor)')
  told('Tandem: `budget.x` is spent')
  shows(editor, 'Tandem: `budget.x` is spent (:Tandem remedy)')
  editor:keys(':Tandem remedy<CR>')
  eventually('what is offered', function()
    return editor:lua('return _G.offered')
  end, { 'Raise the budget in the configuration file', 'Switch the model' })
  told('Tandem: x refused the key (status 401)')
  editor:keys(':Tandem remedy<CR>')
  eventually('what is offered', function()
    return editor:lua('return { #_G.offered, _G.offered[1], _G.has_run }')
  end, { 3, 'Enter a key, or choose another provider', 'model' })
  told("Tandem's settings: fast.candidates.0: left out: the environment variable KEY holds no key")
  editor:keys(':Tandem remedy<CR>')
  eventually('what is offered', function()
    return editor:lua('return _G.offered[1]')
  end, 'Enter a key, or choose another provider')
  told('Tandem: the file is too large')
  shows(editor, 'Tandem: the file is too large')
end)

case('spent budget of a day is raised by a remedy, unless a policy limits it', function()
  local raised = { result = { dayDollars = 2 } }
  local editor = start({ text = 'ˇ\n', server = { replies = { ['workspace/executeCommand'] = { raised } } } })
  editor:attached()
  local function offers(message, expected)
    editor:lua("require('tandem.log').handlers['window/showMessage'](nil, { type = 2, message = ... })", message)
    editor:lua([[
      vim.ui.select = function(items, opts, done)
        _G.offered = vim.tbl_map(opts.format_item, items)
        done(items[1])
      end
    ]])
    editor:lua("require('tandem.model').run = function() end")
    editor:keys(':Tandem remedy<CR>')
    eventually('what is offered', function()
      return editor:lua('return _G.offered[1]')
    end, expected)
  end
  local reached = 'Tandem: `budget.day_dollars` is reached ($1 of $1 today, UTC)'
  offers(reached .. '; wait until midnight UTC', 'Raise the budget for today, in this session')
  eventually('the command', support.commands, { 'tandem.raiseBudget {}' })
  offers(reached .. ", which a company's policy limits; wait until midnight UTC", 'Switch the model')
end)

case('report leaves nothing of its wait behind', function()
  local editor = drawn()
  editor:attached()
  editor:keys(':Tandem usage<CR>')
  eventually('the report', function()
    return editor:text() ~= '\n'
  end, true)
  shows(editor, '')
end)
