-- What is said and shown on request: status, why, snooze, previews, fixes.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local reads, says, executes = common.reads, common.says, common.executes

local STATUS = {
  version = 1,
  state = 'ready',
  text = 'fast: m-1',
  serverVersion = '0.1.0',
  gears = {
    ['local'] = { state = 'ready' },
    fast = {
      state = 'ready',
      provider = 'here',
      wire = 'responses-websocket',
      asked = 'm',
      served = 'm-1',
      tier = vim.NIL,
      degraded = vim.NIL,
      firstTokenMs = 41,
      totalMs = 96,
      tokensPerSecond = 1040,
      refused = { { provider = 'there', model = 'x', why = 'no such model' } },
    },
    deep = { state = 'off' },
  },
  eagerness = 'medium',
  snoozedUntil = vim.NIL,
  indicatorOnly = false,
  recording = false,
  usage = { session = { requests = 12, inputTokens = 300, cachedTokens = 100, outputTokens = 50, dollars = 0.0123 } },
  caps = { reached = vim.NIL },
  suggestions = { shown = 4, accepted = 2, rejected = 1 },
  file = { uri = 'file:///a.rs', state = 'followed', why = vim.NIL },
}

--- @param server? table
local function plain(server)
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', server = server or {} })
  editor:attached()
  return editor
end

--- Waits until a window shows this.
local function window(editor, expected)
  eventually('the window', function()
    return editor:text()
  end, expected)
end

case(':Tandem status shows the models and their cost', function()
  local answer = { result = STATUS }
  local editor = plain({ replies = { ['tandem/status'] = { answer, answer, answer } } })
  editor:keys(':Tandem status<CR>')
  local expected = [[
Tandem 0.1.0: fast: m-1

local  ready
fast   ready, m-1 (here), asked for m, first token after 41 ms, 1040 tokens/s
       refused: x at there: no such model
deep   off
file   gets suggestions
ghost  text is on; eagerness medium
record off (<CR> switches it on)
usage  in this session: 12 requests, 300 tokens in (100 of them cached), 50 out, $0.0123
seen   4 suggestions, 2 accepted, 1 rejected
]]
  window(editor, expected)
  editor:keys('q')
  reads(editor, 'let a = 1;\n')
  -- By itself it does the same.
  editor:keys(':Tandem<CR>')
  window(editor, expected)
end)

case('the statusline follows the server', function()
  local function with(changes)
    return { method = 'tandem/statusChanged', params = vim.tbl_deep_extend('force', STATUS, changes) }
  end
  local degraded = with({ state = 'degraded', available = true, gears = { fast = { degraded = 'm-1 answers for m' } } })
  local until_ms = (os.time() + 270) * 1000
  local editor = plain({
    replies = { ['tandem/status'] = { { result = STATUS } } },
    notify = {
      ['workspace/executeCommand'] = { degraded },
      ['textDocument/codeAction'] = { with({ state = 'snoozed', snoozedUntil = until_ms }) },
    },
  })
  local function line(expected)
    eventually('the statusline', function()
      return editor:lua("return vim.api.nvim_eval_statusline([[%{%v:lua.require'tandem'.statusline()%}]], {}).str")
    end, expected)
  end
  line('Tandem fast: m-1 $0.01')
  editor:keys(':Tandem why<CR>')
  line('Tandem fast: m-1, degraded $0.01 ✦')
  editor:lua('vim.lsp.buf.code_action()')
  line('Tandem snoozed 5 min $0.01')
  editor:lua('vim.cmd.enew()')
  line('')
  local announced = support.heard('initialize')[1].capabilities.experimental
  assert(
    vim.deep_equal(announced, {
      tandem = {
        statusNotification = true,
        partialAccept = true,
        ghostTextNotification = true,
        rename = true,
        left = true,
      },
    }),
    vim.inspect(announced)
  )
end)

case(':Tandem why shows recent outcomes, and Enter does what a row advises', function()
  local function decision(more)
    return vim.tbl_extend('force', {
      at = 0,
      uri = 'file:///a.rs',
      line = 3,
      job = 'completion',
      trigger = 'automatic',
      outcome = 'nothing',
      code = 'unsure',
      why = 'more certainty is wanted',
      gear = vim.NIL,
      model = vim.NIL,
      milliseconds = 1,
      advice = 'raise-eagerness',
    }, more)
  end
  local decisions = {
    decision({}),
    decision({ job = 'next edit' }),
    decision({ outcome = 'shown', why = 'the fast gear made it', gear = 'fast', model = 'm', advice = vim.NIL }),
  }
  local editor = plain({ replies = { ['workspace/executeCommand'] = { { result = { decisions = decisions } } } } })
  editor:keys(':Tandem why<CR>')
  local time = os.date('%H:%M:%S', 0)
  window(
    editor,
    'nothing: more certainty is wanted\n'
      .. ('  %s, line 4, completion and next edit, automatic, 1 ms\n'):format(time)
      .. '  → raise the eagerness (<CR>)\n'
      .. 'shown: the fast gear made it\n'
      .. ('  %s, line 4, completion, automatic, 1 ms, m\n'):format(time)
  )
  local uri = vim.uri_from_fname(support.folder() .. '/a.rs')
  local params = support.heard('workspace/executeCommand')[1]
  assert(params.command == 'tandem.why' and params.arguments[1].textDocument.uri == uri, vim.inspect(params))
  editor:keys('<CR>')
  eventually('settings', function()
    local sent = support.heard('workspace/didChangeConfiguration')
    return sent[#sent] and sent[#sent].settings
  end, { tandem = { eagerness = 'high' } })
end)

case(':Tandem snooze pauses suggestions', function()
  local editor = plain({
    replies = {
      ['workspace/executeCommand'] = {
        { result = { snoozedUntil = (os.time() + 300) * 1000 } },
        { result = { snoozedUntil = vim.NIL } },
        { result = { snoozedUntil = (os.time() + 600) * 1000 } },
      },
    },
  })
  editor:keys(':Tandem snooze<CR>')
  editor:keys(':Tandem snooze 0<CR>')
  editor:keys(':Tandem snooze 10<CR>')
  executes({ 'tandem.snooze', 'tandem.snooze {"minutes":0}', 'tandem.snooze {"minutes":10}' })
  editor:keys(':Tandem snooze long<CR>')
  says(editor, { 'Tandem: "long" is not a number of minutes' })
end)

case(':Tandem completes its subcommands and earlier instructions', function()
  local editor = plain()
  local function completes(line, expected)
    local found = editor:lua('return vim.fn.getcompletion(..., "cmdline")', line)
    assert(vim.deep_equal(found, expected), vim.inspect(found))
  end
  completes('Tandem s', { 'setup', 'snooze', 'status' })
  completes('Tandem snooze ', { '0', '5', '15', '60' })
  completes('Tandem rewrite ', {})
  editor:keys(':Tandem rewrite rename a to b<CR>')
  editor:keys(':Tandem rewrite make it blue<CR>')
  eventually('commands', function()
    return #support.commands()
  end, 2)
  completes('Tandem rewrite ', { 'make it blue', 'rename a to b' })
  completes("'<,'>Tandem rewrite rename a t", { 'to b' })
  editor:keys(':Tandem colour<CR>')
  says(editor, { 'Tandem: there is no command `:Tandem colour`; press Tab after `:Tandem ` for a list' })
end)

--- A scripted answer to a rewrite that is to be shown first.
local function preview()
  local uri = vim.uri_from_fname(support.folder() .. '/a.rs')
  local at = { start = { line = 0, character = 4 }, ['end'] = { line = 0, character = 5 } }
  local edit = { changes = { [uri] = { { range = at, newText = '猫' } } } }
  return { result = { gear = 'fast', model = 'm', flags = { 'it was short' }, edit = edit } }
end

local SHOWN = 'Rewritten by m (it was short). a: apply, q: discard.\n@@ -1 +1 @@\n-let a = 1;\n+let 猫 = 1;\n'

case(':Tandem preview shows a rewrite before it is applied', function()
  local editor = plain({ replies = { ['workspace/executeCommand'] = { preview(), preview() } } })
  editor:keys(':Tandem preview rename a to cat<CR>')
  window(editor, SHOWN)
  editor:keys('q')
  reads(editor, 'let a = 1;\n')
  editor:keys(':Tandem preview rename a to cat<CR>')
  window(editor, SHOWN)
  editor:keys('a')
  reads(editor, 'let 猫 = 1;\n')
  assert(support.heard('workspace/executeCommand')[1].arguments[1].preview == true)
end)

case('preview of a changed text is not applied', function()
  local editor = plain({ replies = { ['workspace/executeCommand'] = { preview() } } })
  editor:keys(':Tandem preview rename a to cat<CR>')
  window(editor, SHOWN)
  editor:keys('<C-w>kix<Esc><C-w>ja')
  says(editor, { 'Tandem: a.rs has changed since; repeat the rewrite' })
  editor:keys('q')
  reads(editor, 'let xa = 1;\n')
end)

case(':Tandem cancel stops a rewrite', function()
  local editor = plain({ replies = { ['workspace/executeCommand'] = { { result = vim.NIL, after = 5000 } } } })
  editor:keys(':Tandem rewrite make it a cat<CR>')
  eventually('commands', function()
    return #support.commands()
  end, 1)
  editor:keys(':Tandem cancel<CR>')
  eventually('cancelled', function()
    return #support.heard('$/cancelRequest')
  end, 1)
end)

--- Diagnostics of a linter, and one that our own client would have.
local DIAGNOSE = [[
  vim.diagnostic.set(vim.api.nvim_create_namespace('lint'), 0, {
    { lnum = 0, col = 4, end_col = 7, message = 'a cat', severity = 2, source = 'lint', code = 'C1' },
    { lnum = 1, col = 0, end_col = 1, message = 'elsewhere' },
  })
]]

case('diagnostics of other servers are forwarded as they change', function()
  local editor = start({ text = 'let 猫ˇ🙂 = 1;\nx\n', name = 'a.rs', server = {} })
  editor:attached()
  editor:lua(DIAGNOSE)
  eventually('diagnostics', function()
    return #support.heard('tandem/diagnostics')
  end, 1)
  local told = support.heard('tandem/diagnostics')[1]
  local range = { start = { line = 0, character = 4 }, ['end'] = { line = 0, character = 5 } }
  local expected = { range = range, severity = 2, message = 'a cat', source = 'lint', code = 'C1' }
  assert(vim.deep_equal(told.diagnostics[1], expected), vim.inspect(told))
  assert(#told.diagnostics == 2 and told.uri == vim.uri_from_fname(support.folder() .. '/a.rs'), vim.inspect(told))
  assert(told.version == support.heard('textDocument/didOpen')[1].textDocument.version, vim.inspect(told))
  -- The same again is no news; that they are gone is.
  editor:lua(DIAGNOSE)
  editor:lua("vim.diagnostic.reset(vim.api.nvim_create_namespace('lint'), 0)")
  eventually('diagnostics', function()
    local all = support.heard('tandem/diagnostics')
    return all[#all].diagnostics
  end, {})
  -- What our own server publishes is not sent back to it.
  editor:lua([[
    local client = vim.lsp.get_clients({ name = 'tandem' })[1]
    vim.diagnostic.set(vim.lsp.diagnostic.get_namespace(client.id), 0, { { lnum = 0, col = 0, message = 'own' } })
  ]])
  vim.wait(300)
  assert(#support.heard('tandem/diagnostics') == 2)
end)

case('code action request has the diagnostics of all servers at the cursor', function()
  local editor = start({ text = 'let 猫ˇ🙂 = 1;\nx\n', name = 'a.rs', server = {} })
  editor:attached()
  editor:lua(DIAGNOSE)
  editor:lua('vim.lsp.buf.code_action()')
  eventually('questions', function()
    return #support.heard('textDocument/codeAction')
  end, 1)
  local context = support.heard('textDocument/codeAction')[1].context
  assert(#context.diagnostics == 1 and context.diagnostics[1].message == 'a cat', vim.inspect(context))
end)

case('colours follow the background, and those that the user set stay', function()
  local before = 'vim.api.nvim_set_hl(0, "TandemAdd", { bold = true })'
  local editor = start({ text = 'ˇ\n', name = 'a.rs', server = {}, before = before })
  local function colours()
    return editor:lua([[
      local function group(name)
        return vim.api.nvim_get_hl(0, { name = name, link = false })
      end
      return {
        deleted = group('TandemDelete').fg == group('DiffDelete').fg and group('TandemDelete').strikethrough,
        ghost = group('TandemGhost').fg ~= group('Normal').fg and group('TandemGhost').fg ~= group('Normal').bg,
        added = group('TandemAdd').bold,
      }
    ]])
  end
  local all = { deleted = true, ghost = true, added = true }
  eventually('colours', colours, all)
  editor:lua('vim.o.background = vim.o.background == "dark" and "light" or "dark"')
  eventually('colours', colours, all)
  editor:lua('vim.cmd.colorscheme("habamax")')
  eventually('colours', function()
    return colours().deleted
  end, true)
end)

case('real server reports status and outcomes, and is snoozed', function()
  local editor = common.with_ghost()
  editor:keys('<Esc>')
  eventually('the statusline', function()
    return editor:lua("return require('tandem').statusline()")
  end, 'Tandem fast: m')
  editor:keys(':Tandem status<CR>')
  eventually('the window', function()
    local text = editor:text()
    return text:find('Tandem 0.1.0: ', 1, true) == 1
      and text:find('\nfast   ready, m (test)', 1, true) ~= nil
      and text:find('\nfile   gets suggestions', 1, true) ~= nil
  end, true)
  editor:keys('q')
  editor:keys(':Tandem why<CR>')
  eventually('the window', function()
    return editor:lua('return vim.api.nvim_buf_get_name(0)'):find('tandem://why', 1, true) ~= nil
      and editor:text():find('shown', 1, true) ~= nil
  end, true)
  editor:keys('q')
  editor:lua("require('tandem.notify').echo = function(message) _G.echoed = message end")
  for minutes, command in pairs({ [5] = 'snooze', [1] = 'snooze 1', [10] = 'snooze 10' }) do
    editor:keys((':Tandem %s<CR>'):format(command))
    eventually('what is said', function()
      return editor:lua('return _G.echoed')
    end, ('snoozed for %d min (:Tandem snooze 0 ends it)'):format(minutes))
    eventually('the statusline', function()
      return editor:lua("return require('tandem').statusline()")
    end, ('Tandem snoozed %d min'):format(minutes))
  end
  editor:keys(':Tandem snooze 0<CR>')
  eventually('the statusline', function()
    return editor:lua("return require('tandem').statusline()")
  end, 'Tandem fast: m')
end)

case('recorder is switched, and what it has recorded is shown, opened and deleted', function()
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', simulator = false })
  editor:attached()
  local config = support.folder() .. '/tandem.toml'
  local function configured(expected)
    eventually('the configuration', function()
      return vim.fn.filereadable(config) == 1 and vim.trim(table.concat(vim.fn.readfile(config), '\n'))
    end, expected)
  end
  local function line(words)
    eventually(('a line %q'):format(words), function()
      return ('\n' .. editor:text()):find('\n' .. words, 1, true) ~= nil
    end, true)
  end
  local function last_said(expected)
    eventually('the last message', function()
      local said = editor:said()
      return said[#said]
    end, expected)
  end
  editor:keys(':Tandem<CR>')
  line('record off')
  editor:keys('/^record<CR><CR>')
  configured('record = true')
  says(editor, { 'Tandem: the recorder is on; :Tandem record shows what it writes' })
  reads(editor, 'let a = 1;\n')
  editor:keys('ciwbc<Esc>:write<CR>')
  local folder = support.folder() .. '/state/tandem/recording'
  eventually('a file', function()
    return #vim.fn.glob(folder .. '/*.jsonl', true, true)
  end, 1)
  editor:keys(':Tandem record<CR>')
  line('The recorder is on.')
  line(folder)
  editor:keys('<CR>')
  line('{"time":')
  editor:keys(':edit a.rs<CR>:Tandem record off<CR>')
  configured('')
  last_said('Tandem: the recorder is off; :Tandem record delete removes its files')
  editor:keys(':Tandem record delete<CR>1<CR>')
  eventually('no file', function()
    return #vim.fn.glob(folder .. '/*.jsonl', true, true)
  end, 0)
  last_said('Tandem: Removed 1 file.')
  editor:keys(':Tandem record away<CR>')
  last_said('Tandem: `:Tandem record` takes `on`, `off`, `show`, `delete` or nothing, not "away"')
end)

case('recorder that a setting of the editor keeps off is reported', function()
  local off = { text = 'let ˇa = 1;\n', name = 'a.rs', simulator = false, options = { settings = { record = false } } }
  local editor = start(off)
  editor:attached()
  editor:keys(':Tandem record on<CR>')
  says(editor, {
    'Tandem: the recorder is not on here; see `record` in `settings` of setup(), and :Tandem log',
  })
end)

case('real server makes a preview', function()
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs' })
  editor:attached()
  editor:keys(':Tandem preview rename a to b<CR>')
  window(editor, 'Rewritten by m. a: apply, q: discard.\n@@ -1 +1 @@\n-let a = 1;\n+let b = 1;\n')
  editor:keys('a')
  reads(editor, 'let b = 1;\n')
end)

case('diagnostic of a linter is fixed by the real server', function()
  local text = 'fn area(width: u32) -> u32 {\n    let total = width\n    total * 2\n}\n'
  local editor = start({ text = (text:gsub('    total', '    ˇtotal')), name = 'a.rs', simulator = false })
  editor:attached()
  editor:lua([[
    vim.diagnostic.set(vim.api.nvim_create_namespace('lint'), 0, {
      { lnum = 2, col = 4, end_col = 9, message = 'expected `;`, found `total`', severity = 1, source = 'rustc' },
    })
    vim.lsp.buf.code_action({ apply = true })
  ]])
  reads(editor, (text:gsub('= width', '= width;')))
end)

--- Answers the questions of `:Tandem setup`: rows of lists by a piece of their text, lines as they are.
local ANSWERS = [[
  _G.asked = {}
  local answers = vim.json.decode(...)
  local function next_answer(prompt)
    table.insert(_G.asked, prompt)
    return table.remove(answers, 1)
  end
  vim.ui.select = function(items, opts, done)
    local wanted = next_answer(opts.prompt)
    local format = opts.format_item or tostring
    for _, item in ipairs(items) do
      if format(item):find(wanted, 1, true) then
        return done(item)
      end
    end
    error(('no row with %s'):format(wanted))
  end
  vim.ui.input = function(opts, done)
    done(next_answer(opts.prompt))
  end
  vim.fn.inputsecret = function(prompt)
    return next_answer(prompt)
  end
]]

--- @param editor Editor
--- @param answers string[]
local function answer(editor, answers)
  editor:lua(ANSWERS, vim.json.encode(answers))
end

local function config_text()
  return table.concat(vim.fn.readfile(support.folder() .. '/tandem.toml'), '\n')
end

case(":Tandem setup asks until a key is taken, and the next suggestion is the model's", function()
  -- A keychain of this machine is not touched: one that lies in the case's folder comes first.
  local keychain = support.folder() .. '/bin/secret-tool'
  vim.fn.mkdir(vim.fs.dirname(keychain), 'p')
  local script = '#!/bin/sh\ncase $1 in\nstore) cat >%s.key ;;\nlookup) cat %s.key ;;\nesac\n'
  vim.fn.writefile(vim.split(script:format(keychain, keychain), '\n'), keychain)
  vim.uv.fs_chmod(keychain, 493)
  local editor = start({
    text = 'let ˇa = 1;\n',
    name = 'a.rs',
    simulator = false,
    before = ("vim.env.PATH = %q .. ':' .. vim.env.PATH"):format(vim.fs.dirname(keychain)),
  })
  editor:attached()
  -- Not 127.0.0.1, where no key is asked for.
  local url = support.simulate({ '--listen', '127.0.0.2:0', '--api-key', 'sk-case', '--model', 'swift-coder-2' })
  answer(editor, { 'other providers', 'Another server', url, 'sk-wrong', 'sk-case', 'swift-coder-2' })
  editor:keys(':Tandem setup<CR>')
  eventually('what is said', function()
    return vim.tbl_contains(
      vim.tbl_map(function(message)
        return message:find('now using swift-coder-2; it answered in', 1, true) ~= nil
      end, editor:said()),
      true
    )
  end, true)
  eventually('the statusline', function()
    return editor:lua([[return require('tandem').statusline()]])
  end, 'Tandem fast: swift-coder-2')
  local text = config_text()
  assert(text:find('secret-tool', 1, true) and not text:find('sk-case', 1, true), text)
  assert(editor:lua('return #_G.asked') == 6)
end)

case(':Tandem setup offers what is at hand first, and the other providers behind one row', function()
  local editor = start({
    text = 'let ˇa = 1;\n',
    name = 'a.rs',
    simulator = false,
    before = 'vim.o.columns = 80 vim.env.GROQ_API_KEY = "gsk-case" vim.env.OPENAI_API_KEY = nil',
  })
  editor:attached()
  editor:lua([[
    _G.lists = {}
    vim.ui.select = function(items, opts, done)
      local rows = vim.tbl_map(opts.format_item, items)
      table.insert(_G.lists, rows)
      done(rows[#rows]:find('other providers', 1, true) and items[#items] or nil)
    end
  ]])
  editor:keys(':Tandem setup<CR>')
  eventually('lists', function()
    return editor:lua('return #_G.lists')
  end, 2)
  local lists = editor:lua('return _G.lists')
  assert(#lists[1] == 7, vim.inspect(lists[1]))
  local named = vim.tbl_map(function(row)
    return row:match('^[^:]*: its key is set') or row:match('^[^:]*: not running') or row:match('^[^:]*: needs a key')
  end, lists[1])
  assert(vim.list_contains(named, 'Groq: its key is set'), vim.inspect(lists[1]))
  assert(vim.list_contains(named, 'OpenAI: needs a key'), vim.inspect(lists[1]))
  for _, row in ipairs(vim.list_extend(lists[1], lists[2])) do
    assert(vim.fn.strdisplaywidth(row) <= 75, row)
  end
  -- The list that follows fits a small screen.
  assert(#lists[2] < 20, vim.inspect(lists[2]))
end)

case(':Tandem setup says why a model cannot be used, and writes nothing', function()
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', simulator = false })
  editor:attached()
  local url = support.simulate({ '--fault', 'refuse-503' })
  answer(editor, { 'other providers', 'Another server', url, 'tandem-simulator' })
  editor:keys(':Tandem setup<CR>')
  eventually('what is said', function()
    return (editor:said()[1] or ''):find('503', 1, true) ~= nil
  end, true)
  assert(vim.fn.filereadable(support.folder() .. '/tandem.toml') == 0)
end)

case(':Tandem model uses one for the session, or for good', function()
  local one, two = '{ provider = "here", model = "one" }', '{ provider = "here", model = "two" }'
  local function config(first, second)
    local here = '[providers.here]\nbase_url = "http://127.0.0.1:9/v1"\nwire = "chat"\n'
    return ('%s[fast]\ncandidates = [%s, %s]\n[prices.two]\ninput = 1\noutput = 2\n'):format(here, first, second)
  end
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', config = config(one, two) })
  editor:attached()
  local function uses(expected)
    eventually('the model', function()
      return editor:lua([[
        local status = require('tandem.status').of(0)
        return status and status.gears.fast.asked
      ]])
    end, expected)
  end
  uses('one')
  answer(editor, { 'fast: two (here) — $1.00 per million tokens read, $2.00 written', 'for this session' })
  editor:keys(':Tandem model<CR>')
  uses('two')
  assert(config_text() == config(one, two), config_text())
  answer(editor, { 'fast: two', 'for good' })
  editor:keys(':Tandem model<CR>')
  eventually('the file', config_text, config(two, one))
  uses('two')
end)

case(':Tandem model says that a gear has one model alone', function()
  local here = '[providers.here]\nbase_url = "http://127.0.0.1:9/v1"\nwire = "chat"\n'
  local only = 'candidates = [{ provider = "here", model = "one" }]\n'
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', config = here .. '[fast]\n' .. only })
  editor:attached()
  answer(editor, {})
  editor:keys(':Tandem model<CR>')
  local head, tail = 'Tandem: the only fast model is one (here)', '; `:Tandem setup` adds another'
  eventually('what is said', function()
    local said = editor:said()
    return vim.startswith(said[#said] or '', head) and vim.endswith(said[#said], tail)
  end, true)
  assert(editor:lua('return #_G.asked') == 0)
end)

case(':Tandem profile switches to one that is chosen, and back', function()
  local config = 'eagerness = "low"\n[profiles.eager]\neagerness = "high"\n'
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', config = config })
  editor:attached()
  answer(editor, { 'eager' })
  editor:keys(':Tandem profile<CR>')
  eventually('the file', function()
    return config_text():match('^profile = "(%w+)"')
  end, 'eager')
  editor:keys(':Tandem profile none<CR>')
  eventually('the file', config_text, config)
end)
