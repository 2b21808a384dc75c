-- Ghost text.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local SHAPE, with_ghost = common.SHAPE, common.with_ghost
local shows, reads, marks, logs, executes = common.shows, common.reads, common.marks, common.logs, common.executes

--- A `let x = ` with a scripted server's suggestions behind it.
--- @param suggestions (string|table)[] Texts at the cursor, or whole items
--- @param opts? table
local function with_scripted(suggestions, opts)
  opts = opts or {}
  local text = opts.text or 'let x = ˇ\n'
  local column = vim.str_utfindex(text:match('([^\n]*)ˇ')) + #(opts.typed or '')
  local at = { line = select(2, text:match('(.*)ˇ'):gsub('\n', '')), character = column }
  local items = {}
  for id, suggestion in ipairs(suggestions) do
    local item = type(suggestion) == 'table' and suggestion or { insertText = suggestion }
    item.range = item.range or { start = at, ['end'] = at }
    item.command = { title = 'Accept', command = 'tandem.accept', arguments = { id } }
    items[id] = item
  end
  local editor = start({
    text = text,
    name = 'a.rs',
    options = opts.options,
    server = { replies = { ['textDocument/inlineCompletion'] = { { result = items, after = opts.after } } } },
  })
  editor:attached()
  editor:insert(opts.typed)
  return editor
end

case('ghost text accepted by the mapping is reported, and one undo takes it back', function()
  local editor = with_ghost()
  editor:keys('<Tab>')
  marks(editor, (SHAPE:gsub('ˇ', 'self.height = height;ˇ')))
  logs('a suggestion was accepted known=true')
  -- And only it: what was typed stays.
  editor:keys('<Esc>u')
  reads(editor, (SHAPE:gsub('ˇ', 'self.height = ')))
end)

case('ghost text of several lines is drawn below and accepted whole', function()
  local editor = start({
    text = 'fn main() {\n    ˇ\n}\n',
    script = { { when = 'fn main', reply = 'in names {\n        println!("猫 {name}");\n    }' } },
  })
  editor:attached()
  editor:insert()
  editor:keys('for name ')
  shows(editor, '    for name ⟦in names {\n        println!("猫 {name}");\n    }⟧')
  editor:keys('i<Tab>')
  marks(editor, 'fn main() {\n    for name in names {\n        println!("猫 {name}");\n    }ˇ\n}\n')
end)

case('ghost text that depends on another file comes of what the model is told of it', function()
  local folder = support.folder()
  vim.fn.writefile(
    { 'pub fn load_settings(path: &str, is_strict: bool) -> u32 {', '    0', '}' },
    folder .. '/settings.rs'
  )
  local editor = start({
    text = 'mod settings;\nuse settings::load_settings;\n\nfn main() {\n    ˇ\n}\n',
    name = 'main.rs',
    -- The reply is for a prompt that has the other file's signature, which stands in no text that is open.
    script = {
      { when = '@@ settings.rs\npub fn load_settings(path: &str, is_strict: bool) -> u32', reply = '"a.toml", true);' },
    },
  })
  editor:attached()
  logs('other files were looked through')
  editor:insert()
  editor:keys('let value = load_settings(')
  shows(editor, '    let value = load_settings(⟦"a.toml", true);⟧')
end)

case('text after the cursor moves behind the last line of ghost text', function()
  local editor = with_scripted({ '|it| {\n\tit + 猫\n}' }, { text = 'map(ˇ); // end\n' })
  shows(editor, 'map(⟦|it| {   \n        it + 猫\n}); // end⟧')
  editor:keys('<C-l>')
  marks(editor, 'map(|it| {\n\tit + 猫\n}ˇ); // end\n')
end)

case('ghost text that replaces text around the cursor is drawn around it', function()
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 4 } }
  local editor = with_scripted({ { insertText = '🙂猫(1)', range = range } }, { text = '🙂猫ˇ()\n' })
  -- The two before the cursor are there already, and so is one of the brackets.
  shows(editor, '🙂猫(⟦1)⟧)')
  editor:keys('<C-l>')
  marks(editor, '🙂猫(1)ˇ)\n')
end)

case('closers that the editor inserted stay where they are', function()
  local range = { start = { line = 0, character = 4 }, ['end'] = { line = 0, character = 6 } }
  local editor = with_scripted({ { insertText = '0]).猫()', range = range } }, { text = 'f(a[ˇ]) // 猫\n' })
  shows(editor, 'f(a[⟦0⟧])⟦.猫()⟧ // 猫')
  editor:keys('<C-l>')
  marks(editor, 'f(a[0]).猫()ˇ // 猫\n')
end)

case('unreachable model is reported once', function()
  local editor = start({ text = SHAPE, simulator = { '--fault', 'refuse-503' } })
  editor:attached()
  editor:insert()
  editor:keys('self.height')
  local function failures()
    return #vim.tbl_filter(function(message)
      return vim.startswith(message, 'Tandem: no fast model answers: ')
    end, editor:said())
  end
  eventually('messages', failures, 1)
  editor:keys(' = ')
  vim.wait(300)
  eventually('messages', function()
    return #editor:said()
  end, 1)
end)

case('ghost text typed through is not requested again', function()
  local editor = with_scripted({ 'height;' })
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('he')
  shows(editor, 'let x = he⟦ight;⟧')
  editor:keys('<BS>')
  shows(editor, 'let x = h⟦eight;⟧')
  -- Longer than the plugin waits before it asks.
  vim.wait(200)
  shows(editor, 'let x = h⟦eight;⟧')
  assert(#support.heard('tandem/didShow') == 1, 'shown once')
  assert(#support.heard('textDocument/inlineCompletion') == 1, 'asked once')
  editor:keys('<C-l>')
  marks(editor, 'let x = height;ˇ\n')
  executes({ 'tandem.accept 1' })
end)

case('ghost text request has the version of the text', function()
  local editor = with_scripted({ 'height;' }, { typed = 'h' })
  shows(editor, 'let x = h⟦height;⟧')
  local asked = support.heard('textDocument/inlineCompletion')[1]
  local changed = support.heard('textDocument/didChange')
  assert(asked.textDocument.version == changed[#changed].textDocument.version, vim.inspect(asked))
  assert(asked.context.triggerKind == 2, vim.inspect(asked))
end)

case('ghost text typed through never flickers', function()
  local editor = with_scripted({ 'width.height;' })
  shows(editor, 'let x = ⟦width.height;⟧')
  -- What is there whenever the editor begins to wait for a key, which is when the screen is sent to its user.
  editor:lua([[
    _G.frames = {}
    vim.api.nvim_create_autocmd('SafeState', {
      callback = function()
        local ghost = vim.api.nvim_get_namespaces()['tandem.ghost']
        local mark = vim.api.nvim_buf_get_extmarks(0, ghost, 0, -1, { details = true })[1]
        local line = vim.api.nvim_get_current_line()
        table.insert(_G.frames, mark and line:sub(1, mark[3]) .. mark[4].virt_text[1][1] or line)
      end,
    })
  ]])
  for key in ('width.'):gmatch('.') do
    editor:keys(key)
    vim.wait(20)
  end
  shows(editor, 'let x = width.⟦height;⟧')
  local frames = editor:lua('return _G.frames')
  assert(#frames >= 6, vim.inspect(frames))
  for _, frame in ipairs(frames) do
    assert(frame == 'let x = width.height;', ('%q was on screen'):format(frame))
  end
end)

--- A `let x = ` whose first ghost text is the prediction `height;`, sent with `notify`; `later` answers the next request.
local function with_prediction(notify, later)
  local at = { line = 0, character = 8 }
  local function item(text, provisional)
    return { insertText = text, range = { start = at, ['end'] = at }, isProvisional = provisional or nil }
  end
  local replies = { { result = { item('height;', true) }, notify = notify } }
  if later then
    later.result = vim.tbl_map(item, later.result)
    table.insert(replies, later)
  end
  local editor = start({
    text = 'let x = ˇ\n',
    name = 'a.rs',
    server = { replies = { ['textDocument/inlineCompletion'] = replies } },
  })
  editor:attached()
  editor:lua([[
    _G.frames = {}
    vim.api.nvim_create_autocmd('SafeState', {
      callback = function()
        local ghost = vim.api.nvim_get_namespaces()['tandem.ghost']
        local mark = ghost and vim.api.nvim_buf_get_extmarks(0, ghost, 0, -1, { details = true })[1]
        table.insert(_G.frames, mark and mark[4].virt_text[1][1] or '')
      end,
    })
  ]])
  editor:insert()
  return editor
end

--- The inline completion requests that a scripted server heard, once it has heard what was sent since.
local function asked(editor)
  local before = #support.commands()
  editor:lua([[require('tandem.lsp').execute(vim.lsp.get_clients()[1], 'tandem.marker', nil, 0)]])
  eventually('commands', function()
    return #support.commands()
  end, before + 1)
  return support.heard('textDocument/inlineCompletion')
end

local CHANGED = { method = 'tandem/ghostTextChanged' }

case('what takes the place of a prediction is requested and drawn in one step', function()
  local editor = with_prediction({ CHANGED }, { result = { 'height;\n    done();' }, after = 50 })
  shows(editor, 'let x = ⟦height;\n    done();⟧')
  local kinds = vim.tbl_map(function(params)
    return params.context.triggerKind
  end, asked(editor))
  assert(vim.deep_equal(kinds, { 2, 2 }), vim.inspect(kinds))
  local frames = editor:lua('return _G.frames')
  while frames[1] == '' do
    table.remove(frames, 1)
  end
  assert(#frames > 0 and not vim.list_contains(frames, ''), vim.inspect(frames))
end)

--- The last notification of a scripted server.
local STATUS = { method = 'tandem/statusChanged', params = { state = 'ready', text = 'over' } }

--- Waits until the last notification is there: the prediction is still shown, and was asked about so many times.
local function stays(editor, count)
  eventually('the status', function()
    return editor:lua('return (require("tandem.status").of(0) or {}).text')
  end, 'over')
  shows(editor, 'let x = ⟦height;⟧')
  local times = #asked(editor)
  assert(times == count, ('asked %d times'):format(times))
end

case('prediction stays if nothing takes its place', function()
  stays(with_prediction({ CHANGED }, { result = {}, notify = { STATUS } }), 2)
end)

case('prediction stays if what takes a place is for another text', function()
  local other = { method = CHANGED.method, params = { textDocument = { uri = 'file:///b.rs', version = 1 } } }
  stays(with_prediction({ other, STATUS }), 1)
end)

case('key that goes as a prediction asks again, and the rest of it stays', function()
  local editor = with_prediction()
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('h')
  eventually('questions', function()
    return #support.heard('textDocument/inlineCompletion')
  end, 2)
  shows(editor, 'let x = h⟦eight;⟧')
  -- There is no prediction any more to be asked about.
  editor:keys('e')
  shows(editor, 'let x = he⟦ight;⟧')
  assert(#asked(editor) == 2)
end)

case('prediction is followed by what the model goes on with', function()
  local lines = vim.tbl_map(function(name)
    return ('    self.queue.push(item);\n    %s();\n'):format(name)
  end, { 'one', 'two', 'three', 'four' })
  local reply = 'eue.push(item);\n    self.count += 1;'
  local editor = start({
    text = ('fn f() {\n%s    ˇ\n}\n'):format(table.concat(lines)),
    script = { { reply = reply, ttft_ms = 300 } },
    options = { settings = { eagerness = 'high' } },
  })
  editor:attached()
  editor:insert('self.qu')
  shows(editor, '    self.qu⟦' .. reply .. '⟧')
end)

case('accepted word and line are reported with their length', function()
  local editor = with_scripted({ 'width.max(1)\n    + 猫🙂;\nlet y' })
  shows(editor, 'let x = ⟦width.max(1)\n    + 猫🙂;\nlet y⟧')
  editor:keys('wi<C-Right>')
  marks(editor, 'let x = widthˇ\n')
  shows(editor, 'let x = width⟦.max(1)\n    + 猫🙂;\nlet y⟧')
  editor:keys('<C-Right><C-Right><C-Down>')
  marks(editor, 'let x = width.max(1)ˇ\n')
  shows(editor, 'let x = width.max(1)⟦\n    + 猫🙂;\nlet y⟧')
  editor:keys('<C-Down>')
  marks(editor, 'let x = width.max(1)\n    + 猫🙂;ˇ\n')
  assert(#support.heard('textDocument/inlineCompletion') == 1, 'nothing of it is asked again')
  editor:keys('<C-Right><C-Right>')
  marks(editor, 'let x = width.max(1)\n    + 猫🙂;\nlet yˇ\n')
  executes({ 'tandem.accept 1' })
  local lengths = vim.tbl_map(function(params)
    return params.acceptedLength
  end, support.heard('tandem/didPartiallyAccept'))
  -- In UTF-16: the smiley counts two.
  assert(vim.deep_equal(lengths, { 5, 6, 9, 12, 23, 27, 29 }), vim.inspect(lengths))
  editor:keys('<Esc>uu')
  marks(editor, 'let x = width.max(1)\n    + 猫🙂ˇ;\n')
end)

case('ghost text accepted right after a key is not inserted twice', function()
  local editor = with_ghost()
  editor:keys('h<Tab>')
  marks(editor, (SHAPE:gsub('ˇ', 'self.height = height;ˇ')))
  logs('a suggestion was accepted known=true')
end)

case('keys right after the accepting key are inserted after the ghost text', function()
  local editor = with_scripted({ 'height;' })
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('h<Tab> // 猫')
  reads(editor, 'let x = height; // 猫\n')
end)

case('key that differs from the ghost text clears it, and the mapping falls through', function()
  local editor = with_ghost()
  editor:keys('x')
  shows(editor, '    self.height = x')
  editor:keys('<Tab>;')
  reads(editor, (SHAPE:gsub('ˇ', 'self.height = x ;')))
end)

case('accepting right after a differing key inserts nothing', function()
  local editor = with_ghost()
  editor:keys('x<C-l>;')
  reads(editor, (SHAPE:gsub('ˇ', 'self.height = x;')))
end)

case('ghost text dismissed explicitly is cleared and reported', function()
  local editor = with_scripted({ 'height;' })
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('<C-e>')
  shows(editor, 'let x = ')
  executes({ 'tandem.reject 1' })
  editor:keys('<C-l>;')
  reads(editor, 'let x = ;\n')
end)

case('ghost text after insert mode is hidden and not rejected', function()
  local editor = with_scripted({ 'height;' })
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('<Esc>')
  shows(editor, 'let x = ')
  assert(#support.commands() == 0)
end)

case('explicit request shows one suggestion after another', function()
  local at = { line = 0, character = 8 }
  local function items(...)
    return vim.tbl_map(function(text)
      return { insertText = text, range = { start = at, ['end'] = at } }
    end, { ... })
  end
  local editor = start({
    text = 'let x = ˇ\n',
    name = 'a.rs',
    server = {
      replies = {
        ['textDocument/inlineCompletion'] = { { result = items('a;') }, { result = items('a;', 'b;', 'c;') } },
      },
    },
  })
  editor:attached()
  editor:insert()
  shows(editor, 'let x = ⟦a;⟧')
  editor:keys('<M-]>')
  shows(editor, 'let x = ⟦b;  (2/3)⟧')
  editor:keys('<M-[>')
  shows(editor, 'let x = ⟦a;  (1/3)⟧')
  editor:keys('<M-[>')
  shows(editor, 'let x = ⟦c;  (3/3)⟧')
  editor:keys('<Tab>')
  reads(editor, 'let x = c;\n')
  local kinds = vim.tbl_map(function(params)
    return params.context.triggerKind
  end, support.heard('textDocument/inlineCompletion'))
  assert(vim.deep_equal(vim.list_slice(kinds, 1, 2), { 2, 1 }), vim.inspect(kinds))
end)

case('ghost text beside an open menu stays, and a selected entry hides it', function()
  local editor = with_scripted({ 'height;' }, { text = 'heron\nlet x = ˇ\n' })
  shows(editor, 'let x = ⟦height;⟧')
  editor:lua('vim.o.completeopt = "menuone,noselect"')
  editor:keys('he<C-x><C-n>')
  eventually('the menu', function()
    return editor:lua('return vim.fn.pumvisible()')
  end, 1)
  shows(editor, 'let x = he⟦ight;⟧')
  editor:keys('<C-n>')
  shows(editor, 'let x = heron')
end)

case('ghost text with `hide_with_menu` is hidden by an open menu', function()
  local editor = with_scripted({ 'height;' }, { text = 'heron\nlet x = ˇ\n', options = { hide_with_menu = true } })
  shows(editor, 'let x = ⟦height;⟧')
  editor:lua('vim.o.completeopt = "menuone,noselect"')
  editor:keys('he<C-x><C-n>')
  shows(editor, 'let x = he')
end)

--- Types `key` while a slow server thinks, and follows what is on screen until long after its answer.
local function in_flight(key, allowed)
  local editor = with_scripted({ 'height;' }, { after = 150 })
  eventually('questions', function()
    return #support.heard('textDocument/inlineCompletion')
  end, 1)
  editor:keys(key)
  local seen = {}
  for _ = 1, 40 do
    vim.wait(10)
    seen[editor:shown()] = true
  end
  for line in pairs(seen) do
    assert(vim.list_contains(allowed, line), ('%q was on screen'):format(line))
  end
  return editor, seen
end

case('late answer outdated by the next key is not shown', function()
  in_flight('x', { 'let x = ', 'let x = x' })
end)

case('late answer that fits the next key is shown from there', function()
  local _, seen = in_flight('h', { 'let x = ', 'let x = h', 'let x = h⟦eight;⟧' })
  assert(seen['let x = h⟦eight;⟧'], vim.inspect(seen))
end)

case('late answer for another cursor position is not shown', function()
  in_flight('<Left>', { 'let x = ' })
end)

case('late answer after insert mode is not shown', function()
  in_flight('<Esc>', { 'let x = ' })
end)

case('request superseded by a newer one is answered with nothing', function()
  local editor = start({ text = SHAPE, simulator = { '--ttft-ms', '500' } })
  editor:attached()
  editor:insert()
  editor:keys('let area = ')
  eventually('the question is with the model', function()
    return support.model_requests() > 0
  end, true)
  editor:keys('x')
  logs('code="superseded"')
  shows(editor, '    let area = x')
end)

case('ghost text without a model comes from the local engine', function()
  with_ghost({ simulator = false })
end)

case('keys typed before the server is ready are not lost', function()
  local editor = start({ text = SHAPE })
  editor:insert()
  editor:keys('self.height = ')
  shows(editor, '    self.height = ⟦height;⟧')
end)

case('ghost text after a restart is shown again', function()
  local editor = with_ghost()
  local before = editor:client_id()
  editor:keys('<Esc>:Tandem restart<CR>')
  eventually('another server', function()
    local now = editor:client_id()
    return now ~= nil and now ~= before
  end, true)
  editor:keys('oself.height = ')
  shows(editor, '        self.height = ⟦height;⟧')
  editor:keys('h<Tab>')
  reads(editor, (SHAPE:gsub('ˇ', 'self.height = \n        self.height = height;')))
end)

case('ghost text that is switched off is not requested', function()
  local editor = with_scripted({ 'height;' }, { options = { ghost_text = false }, typed = 'h' })
  vim.wait(200)
  shows(editor, 'let x = h')
  assert(#support.heard('textDocument/inlineCompletion') == 0)
end)

case('ghost text that is switched off in a buffer is not requested there', function()
  local editor = start({ text = 'let x = ˇ\n', name = 'a.rs', server = {} })
  editor:attached()
  editor:lua('vim.b.tandem_ghost_text = false')
  editor:insert()
  editor:keys('h')
  vim.wait(200)
  assert(#support.heard('textDocument/inlineCompletion') == 0)
end)

case('nothing shown for a while is explained once', function()
  local editor = start({ text = 'let x = ˇ\n', name = 'a.rs', server = {} })
  editor:attached()
  editor:insert()
  editor:keys(('a'):rep(250))
  eventually('messages', function()
    return editor:said()
  end, { 'Tandem: no suggestions for a while; `:Tandem why` shows why' })
  editor:keys(('a'):rep(250))
  eventually('the text', function()
    return #editor:text()
  end, #'let x = \n' + 500)
  assert(#editor:said() == 1)
  assert(vim.uv.fs_stat(support.folder() .. '/state/nvim/tandem/silence-explained'))
end)

case('dismissed ghost text is shown again on request behind <C-o>', function()
  local editor = with_scripted({ 'height;' })
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('<C-e>')
  shows(editor, 'let x = ')
  editor:keys('<C-o>:Tandem again<CR>')
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('<Tab>')
  reads(editor, 'let x = height;\n')
end)

case('ghost text dismissed explicitly is shown again on request', function()
  local editor = with_scripted({ 'height;' })
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('<C-e>')
  shows(editor, 'let x = ')
  editor:keys('<Cmd>Tandem again<CR>')
  shows(editor, 'let x = ⟦height;⟧')
  editor:keys('<Tab>')
  reads(editor, 'let x = height;\n')
  executes({ 'tandem.reject 1', 'tandem.accept 1' })
end)
