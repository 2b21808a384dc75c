-- Next edits.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local reads, marks, executes = common.reads, common.marks, common.executes

local function range(from_line, from, to_line, to)
  return { start = { line = from_line, character = from }, ['end'] = { line = to_line, character = to } }
end

--- An answer with one edit in the case's file.
local function reply(id, where, text, opts)
  opts = opts or {}
  local uri = vim.uri_from_fname(support.folder() .. '/' .. (opts.file or 'a.rs'))
  return {
    after = opts.after,
    result = {
      edits = {
        {
          id = id,
          text = text,
          range = where,
          textDocument = { uri = uri, version = opts.version },
          command = { title = 'Accept', command = 'tandem.accept', arguments = { id } },
        },
      },
    },
  }
end

--- An editor with a scripted server, in which the first edit, `i` with what is typed, has been made.
local function edited(opts)
  local editor = start({
    text = opts.text,
    name = 'a.rs',
    before = opts.before,
    options = opts.options,
    server = { replies = { ['tandem/nextEdit'] = opts.replies } },
  })
  editor:attached()
  editor:keys(('i%s<Esc>'):format(opts.typed or 'x'))
  return editor
end

--- Waits until the buffer is drawn so.
local function draws(editor, expected)
  eventually('drawn', function()
    return editor:drawn()
  end, expected)
end

case('next edit of words is drawn within its line, and each accepted one requests the next', function()
  local editor = edited({
    text = 'fn area(ˇ: u32) {\n    let 猫 = width * width;\n    width\n}\n',
    typed = 'breadth',
    replies = {
      reply(7, range(1, 12, 1, 25), 'breadth * breadth'),
      reply(8, range(2, 4, 2, 9), 'breadth'),
    },
  })
  draws(
    editor,
    'fn area(breadth: u32) {{Tab: ↓ line 2}\n▸    let 猫 = ⟦-width-⟧⟦+breadth+⟧ * ⟦-width-⟧⟦+breadth+⟧;\n    width\n}\n'
  )
  editor:keys('<Tab>')
  marks(editor, 'fn area(breadth: u32) {\n    let 猫 = ˇwidth * width;\n    width\n}\n')
  editor:keys('<Tab>')
  draws(
    editor,
    'fn area(breadth: u32) {\n    let 猫 = breadth * breadth;{Tab: ↓ line 3}\n▸    ⟦-width-⟧⟦+breadth+⟧\n}\n'
  )
  marks(editor, 'fn area(breadth: u32) {\n    let 猫 = breadth * breadtˇh;\n    width\n}\n')
  editor:keys('<Tab><Tab>')
  reads(editor, 'fn area(breadth: u32) {\n    let 猫 = breadth * breadth;\n    breadth\n}\n')
  executes({ 'tandem.accept 7', 'tandem.accept 8' })
  -- Once after the first change, and once after each that was accepted.
  vim.wait(200)
  assert(#support.heard('tandem/nextEdit') == 3, vim.inspect(support.heard('tandem/nextEdit')))
  local shown = vim.tbl_map(function(params)
    return params.item
  end, support.heard('tandem/didShow'))
  assert(vim.deep_equal(shown, { 7, 8 }), vim.inspect(shown))
  -- Back where the first jump began.
  editor:keys('<C-o><C-o>')
  eventually('the line', function()
    return editor:lua('return vim.api.nvim_win_get_cursor(0)[1]')
  end, 1)
end)

case('next edit request has version, position and trigger', function()
  local editor = edited({ text = 'let ˇa = 1;\n', typed = '猫', replies = {} })
  eventually('questions', function()
    return #support.heard('tandem/nextEdit')
  end, 1)
  local asked = support.heard('tandem/nextEdit')[1]
  local changed = support.heard('textDocument/didChange')
  assert(asked.textDocument.version == changed[#changed].textDocument.version, vim.inspect(asked))
  assert(vim.deep_equal(asked.position, { line = 0, character = 4 }), vim.inspect(asked))
  assert(vim.deep_equal(asked.context, { triggerKind = 2 }), vim.inspect(asked))
  editor:keys(':Tandem next<CR>')
  eventually('questions', function()
    local all = support.heard('tandem/nextEdit')
    return all[2] and all[2].context.triggerKind
  end, 1)
end)

--- What is left at these lines, counted from 0, of other files.
local function left_over(places, more)
  local locations = {}
  for _, place in ipairs(places) do
    local uri = vim.uri_from_fname(support.folder() .. '/' .. place[1])
    table.insert(locations, { uri = uri, range = range(place[2], 0, place[2], 1) })
  end
  return vim.tbl_extend('force', { places = locations }, more or {})
end

case('last edit of a chain says what other files have, and which key goes on there', function()
  local last = reply(7, range(1, 0, 1, 1), 'b')
  last.result.left = left_over({ { 'b.rs', 0 }, { 'b.rs', 4 }, { 'c.rs', 1 } }, { rename = { from = 'a', to = 'b' } })
  local editor = edited({ text = 'ˇ\na\n', replies = { last, last } })
  draws(editor, 'x{Tab: ↓ line 2 · 3 more in 2 files (:Tandem all)}\n▸⟦-a-⟧⟦+b+⟧\n')
  editor:lua("vim.keymap.set('n', '<F8>', '<Plug>(tandem-apply-all)')")
  editor:keys(':Tandem next<CR>')
  draws(editor, 'x\n▸⟦-a-⟧⟦+b+⟧{Tab: apply · 3 more in 2 files (F8)}\n')
end)

case('calls that a changed signature leaves are said, and listed without a model', function()
  local old = left_over({ { 'b.rs', 0 }, { 'c.rs', 1 } })
  local editor = edited({ text = 'ˇ\na\n', replies = { { result = { edits = {}, left = old } } } })
  draws(editor, 'x{2 places to adapt in 2 files (:Tandem all)}\na\n')
  editor:keys(':Tandem all<CR>')
  eventually('the list', function()
    return editor:lua('return vim.tbl_map(function(it) return it.lnum end, vim.fn.getqflist())')
  end, { 1, 2 })
end)

case('calls that a changed signature leaves go into a plan where there is a model', function()
  local old = left_over({ { 'b.rs', 0 } }, { instruction = 'Adapt the calls' })
  local editor = edited({ text = 'ˇ\na\n', replies = { { result = { edits = {}, left = old } } } })
  draws(editor, 'x{1 place to adapt in 1 file (:Tandem all)}\na\n')
  editor:keys(':Tandem all<CR>')
  eventually('the command', function()
    local argument = (support.heard('workspace/executeCommand')[1] or {}).arguments
    return argument and { argument[1].instruction, argument[1].show }
  end, { 'Adapt the calls', true })
  -- Any change of the text ends it.
  editor:keys('ix<Esc>')
  draws(editor, 'xx\na\n')
end)

case('all places in files that are not open are listed, the one on screen included, and each has its edit', function()
  vim.fn.writefile({ 'a', 'a', 'a' }, support.folder() .. '/b.rs')
  local away = reply(7, range(1, 0, 1, 1), 'b', { file = 'b.rs' })
  away.result.left = left_over({ { 'b.rs', 0 }, { 'b.rs', 2 } }, { rename = { from = 'a', to = 'b' } })
  local nothing = { result = { edits = {} } }
  local editor = edited({ text = 'ˇ\n', replies = { away, nothing, away } })
  draws(editor, 'x{Tab: → b.rs, line 2 · 2 more in 1 file (:Tandem all)}\n')
  editor:keys(':Tandem all<CR>')
  eventually('the list', function()
    return editor:lua('return vim.tbl_map(function(it) return it.lnum end, vim.fn.getqflist())')
  end, { 1, 2, 3 })
  editor:keys('<CR>')
  draws(editor, 'a{Tab: ↓ line 2 · 2 more in 1 file (:Tandem all)}\n▸⟦-a-⟧⟦+b+⟧\na\n')
end)

case('replaced lines are marked, and new lines are drawn below', function()
  local editor = edited({
    text = 'ˇ\nif found {\n\tstop();\n}\n',
    replies = { reply(1, range(1, 0, 2, 8), 'match found {\n\tSome(it) => stop(it),\n\tNone => {}') },
  })
  draws(
    editor,
    'x{Tab: ↓ line 2}\n▸⟦-if-⟧⟦+match+⟧ found {\n⟦-\tstop();-⟧\n+         Some(it) => stop(it),\n+         None => {}\n}\n'
  )
  editor:keys('<Tab><Tab>')
  marks(editor, 'x\nmatch found {\n\tSome(it) => stop(it),\n\tNone => {ˇ}\n}\n')
end)

case('added lines are drawn where they are inserted', function()
  local editor = edited({
    text = 'ˇ\nuse b;\n',
    replies = { reply(1, range(1, 0, 1, 0), 'use a;\n') },
  })
  draws(editor, 'x{Tab: ↓ line 2}\n+ use a;\n▸use b;\n')
  editor:keys('<Tab><Tab>')
  reads(editor, 'x\nuse a;\nuse b;\n')
end)

case('removed lines are marked', function()
  local editor = edited({
    text = 'ˇ\nuse a;\nuse b;\n',
    replies = { reply(1, range(1, 0, 2, 0), '') },
  })
  draws(editor, 'x{Tab: ↓ line 2}\n▸⟦-use a;-⟧\nuse b;\n')
  editor:keys('<Tab><Tab>')
  reads(editor, 'x\nuse b;\n')
end)

case('next edit out of sight has a hint', function()
  local lines = ('\n'):rep(100)
  local editor = edited({
    text = 'ˇ\n' .. lines .. 'let a = 1;\n',
    replies = { reply(1, range(101, 4, 101, 5), 'b') },
  })
  draws(editor, 'x{Tab: ↓ line 102}\n' .. lines .. '▸let ⟦-a-⟧⟦+b+⟧ = 1;\n')
  editor:keys('<Tab>')
  marks(editor, 'x\n' .. lines .. 'let ˇa = 1;\n')
end)

case('next edit has a sign only where the sign column is shown anyway', function()
  local script = { text = 'ˇ\na\n', replies = { reply(1, range(1, 0, 1, 1), 'b') } }
  draws(edited(script), 'x{Tab: ↓ line 2}\n▸⟦-a-⟧⟦+b+⟧\n')
  script.before = "vim.o.signcolumn = 'auto'"
  draws(edited(script), 'x{Tab: ↓ line 2}\n⟦-a-⟧⟦+b+⟧\n')
  script.before = "vim.o.signcolumn = 'auto:1-3'"
  draws(edited(script), 'x{Tab: ↓ line 2}\n▸⟦-a-⟧⟦+b+⟧\n')
end)

case('next edit in another file has a hint, and Tab goes there', function()
  vim.fn.writefile({ 'let a = 1;' }, support.folder() .. '/b.rs')
  local editor = edited({
    text = 'ˇ\n',
    replies = { reply(1, range(0, 4, 0, 5), 'b', { file = 'b.rs' }) },
  })
  draws(editor, 'x{Tab: → b.rs, line 1}\n')
  editor:keys('<Tab>')
  draws(editor, '▸let ⟦-a-⟧⟦+b+⟧ = 1;{Tab: apply}\n')
  editor:keys('<Tab>')
  reads(editor, 'let b = 1;\n')
  executes({ 'tandem.accept 1' })
end)

case('next edit in another file is not applied once that has changed on disk', function()
  vim.fn.writefile({ 'let a = 1;' }, support.folder() .. '/b.rs')
  local editor = edited({
    text = 'ˇ\n',
    replies = { reply(1, range(0, 4, 0, 5), 'b', { file = 'b.rs' }) },
  })
  draws(editor, 'x{Tab: → b.rs, line 1}\n')
  vim.fn.writefile({ 'let 猫 = 2;', 'let a = 1;' }, support.folder() .. '/b.rs')
  editor:keys('<Tab>')
  eventually('questions', function()
    return #support.heard('tandem/nextEdit')
  end, 2)
  draws(editor, 'x\n')
end)

case('next edit dismissed with Escape is reported as rejected', function()
  local editor = edited({ text = 'ˇ\nlet a;\n', replies = { reply(3, range(1, 4, 1, 5), 'b') } })
  draws(editor, 'x{Tab: ↓ line 2}\n▸let ⟦-a-⟧⟦+b+⟧;\n')
  editor:keys('<Esc>')
  draws(editor, 'x\nlet a;\n')
  executes({ 'tandem.reject 3' })
  -- The key is free again for what it was before.
  editor:lua('_G.before = vim.api.nvim_win_get_cursor(0)[1]')
  editor:keys('<Esc><Tab>j')
  marks(editor, 'x\nˇlet a;\n')
  executes({ 'tandem.reject 3' })
end)

case('next edit after any other change is cleared', function()
  local editor = edited({ text = 'ˇ\nlet a;\n', replies = { reply(3, range(1, 4, 1, 5), 'b') } })
  draws(editor, 'x{Tab: ↓ line 2}\n▸let ⟦-a-⟧⟦+b+⟧;\n')
  editor:keys('jdd')
  draws(editor, 'x\n')
  executes({})
end)

case('all remaining edits are applied by one command and taken back by one undo', function()
  local editor = edited({
    text = 'ˇ\nlet a;\nlet a;\n',
    replies = {
      reply(1, range(1, 4, 1, 5), 'b'),
      {
        result = {
          edits = {
            reply(1, range(1, 4, 1, 5), 'b').result.edits[1],
            reply(2, range(2, 4, 2, 5), '猫').result.edits[1],
          },
        },
      },
    },
  })
  draws(editor, 'x{Tab: ↓ line 2}\n▸let ⟦-a-⟧⟦+b+⟧;\nlet a;\n')
  editor:keys(':Tandem all<CR>')
  reads(editor, 'x\nlet b;\nlet 猫;\n')
  executes({ 'tandem.accept 1', 'tandem.accept 2' })
  local asked = support.heard('tandem/nextEdit')[2]
  assert(vim.deep_equal(asked.context, { triggerKind = 1, all = true }), vim.inspect(asked))
  editor:keys('u')
  reads(editor, 'x\nlet a;\nlet a;\n')
end)

case('hint stands behind the line, and below it where there is no room', function()
  local long, left = ('a'):rep(200), ('b'):rep(50)
  local editor = start({
    text = ('ˇ\n%s\n%s\nlet a;\n'):format(long, left),
    name = 'a.rs',
    before = 'vim.o.columns = 80',
    server = { replies = { ['tandem/nextEdit'] = { reply(3, range(3, 4, 3, 5), 'b') } } },
  })
  editor:attached()
  editor:keys('ix<Esc>')
  local edit = '▸let ⟦-a-⟧⟦+b+⟧;\n'
  draws(editor, ('x{Tab: ↓ line 4}\n%s\n%s\n'):format(long, left) .. edit)
  -- Behind 200 letters, a wrapped line has room in its last row.
  editor:keys('j')
  draws(editor, ('x\n%s{Tab: ↓ line 4}\n%s\n'):format(long, left) .. edit)
  editor:keys('j')
  draws(editor, ('x\n%s\n%s{Tab: ↓ line 4}\n'):format(long, left) .. edit)
  editor:lua([[
    local namespace = vim.api.nvim_create_namespace('lint')
    vim.api.nvim_buf_set_extmark(0, namespace, 2, 0, { virt_text = { { 'a problem of 18' } }, virt_text_pos = 'eol' })
    vim.wo.wrap = false
  ]])
  editor:keys('0lh')
  draws(editor, ('x\n%s\n%s\n{Tab: ↓ line 4}\n'):format(long, left) .. edit)
  editor:keys('k')
  draws(editor, ('x\n%s\n{Tab: ↓ line 4}\n%s\n'):format(long, left) .. edit)
end)

case('next edit stays while another window is open, and its keys are off there', function()
  local editor = edited({ text = 'ˇ\nlet a;\n', replies = { reply(3, range(1, 4, 1, 5), 'b') } })
  local drawn = 'x{Tab: ↓ line 2}\n▸let ⟦-a-⟧⟦+b+⟧;\n'
  draws(editor, drawn)
  editor:keys(':belowright new<CR>')
  eventually('the other window', function()
    return editor:text()
  end, '\n')
  editor:keys('<Esc><Tab>ix<Esc>')
  editor:keys(':Tandem next<CR>')
  editor:keys(':bwipeout!<CR>')
  draws(editor, drawn)
  executes({})
  editor:keys('<Tab><Tab>')
  reads(editor, 'x\nlet b;\n')
end)

case('next edit is still drawn after :Tandem why, and after :Tandem again finds nothing', function()
  local answer = { result = { decisions = {} } }
  local editor = start({
    text = 'ˇ\nlet a;\n',
    name = 'a.rs',
    server = {
      replies = {
        ['tandem/nextEdit'] = { reply(3, range(1, 4, 1, 5), 'b') },
        ['workspace/executeCommand'] = { answer },
      },
    },
  })
  editor:attached()
  editor:keys('ix<Esc>')
  local drawn = 'x{Tab: ↓ line 2}\n▸let ⟦-a-⟧⟦+b+⟧;\n'
  draws(editor, drawn)
  editor:keys(':Tandem why<CR>')
  eventually('the window', function()
    return editor:text()
  end, 'nothing has been requested yet\n')
  editor:keys('q')
  draws(editor, drawn)
  editor:lua("require('tandem.notify').echo = function(message) _G.echoed = message end")
  editor:keys(':Tandem again<CR>')
  eventually('what is said', function()
    return editor:lua('return _G.echoed')
  end, 'no dismissed suggestion can be shown again')
  draws(editor, drawn)
end)

case('dismissed edit is shown again on request', function()
  local editor = edited({
    text = 'ˇ\nlet a;\n',
    replies = { reply(3, range(1, 4, 1, 5), 'b'), reply(3, range(1, 4, 1, 5), 'b') },
  })
  draws(editor, 'x{Tab: ↓ line 2}\n▸let ⟦-a-⟧⟦+b+⟧;\n')
  editor:keys('<Esc>')
  draws(editor, 'x\nlet a;\n')
  editor:keys(':Tandem again<CR>')
  draws(editor, 'x{Tab: ↓ line 2}\n▸let ⟦-a-⟧⟦+b+⟧;\n')
  local asked = support.heard('tandem/nextEdit')[2]
  assert(vim.deep_equal(asked.context, { triggerKind = 1, dismissed = true }), vim.inspect(asked))
end)

case('lines inserted inside a word are drawn as whole lines', function()
  local editor = edited({
    text = 'ˇ\n    def speak(self):\n',
    replies = { reply(1, range(1, 9, 1, 9), 'leep(self):\n        pass\n\n    def s') },
  })
  draws(editor, 'x{Tab: ↓ line 2}\n+     def sleep(self):\n+         pass\n+ \n▸    def speak(self):\n')
  editor:keys('<Tab><Tab>')
  reads(editor, 'x\n    def sleep(self):\n        pass\n\n    def speak(self):\n')
end)

case('late next edit for an older text is not shown', function()
  local editor = edited({
    text = 'ˇ\nlet a;\n',
    replies = { reply(3, range(1, 4, 1, 5), 'b', { after = 200 }) },
  })
  eventually('questions', function()
    return #support.heard('tandem/nextEdit')
  end, 1)
  editor:keys('ix<Esc>')
  for _ = 1, 40 do
    vim.wait(10)
    assert(editor:drawn() == 'x\nlet a;\n' or editor:drawn() == 'xx\nlet a;\n', editor:drawn())
  end
end)

case('request for a next edit behind <C-o> says where they are shown', function()
  local editor = edited({ text = 'ˇ\nlet a;\n', replies = { reply(3, range(1, 4, 1, 5), 'b') } })
  draws(editor, 'x{Tab: ↓ line 2}\n▸let ⟦-a-⟧⟦+b+⟧;\n')
  editor:lua("require('tandem.notify').echo = function(message) _G.echoed = message end")
  editor:keys('a<C-o>:Tandem next<CR>')
  eventually('what is said', function()
    return editor:lua('return _G.echoed')
  end, 'next edits are shown in normal mode')
end)

case('next edit for another version is not shown', function()
  local editor = edited({
    text = 'ˇ\nlet a;\n',
    replies = { reply(3, range(1, 4, 1, 5), 'b', { version = 1 }) },
  })
  eventually('questions', function()
    return #support.heard('tandem/nextEdit')
  end, 1)
  vim.wait(100)
  draws(editor, 'x\nlet a;\n')
end)

case('next edit that changes nothing is not shown', function()
  local editor = edited({ text = 'ˇ\nlet a;\n', replies = { reply(3, range(1, 4, 1, 5), 'a') } })
  eventually('questions', function()
    return #support.heard('tandem/nextEdit')
  end, 1)
  vim.wait(100)
  draws(editor, 'x\nlet a;\n')
  assert(#support.heard('tandem/didShow') == 0)
end)

case('next edits that are switched off are not requested', function()
  edited({ text = 'ˇ\n', replies = {}, options = { next_edit = false } })
  vim.wait(300)
  assert(#support.heard('tandem/nextEdit') == 0)
end)

case('rename with the real server is continued in every place', function()
  local editor = start({
    text = 'fn f(ˇwidth: u32) {\n    g(width);\n    h(width);\n    k(width);\n}\n',
    name = 'a.rs',
  })
  editor:attached()
  editor:keys('ciwbreadth<Esc>')
  for left = 3, 1, -1 do
    eventually('places that are left', function()
      local drawn = editor:drawn()
      return drawn:find('▸', 1, true) ~= nil and select(2, editor:text():gsub('width', ''))
    end, left)
    editor:keys('<Tab><Tab>')
  end
  reads(editor, 'fn f(breadth: u32) {\n    g(breadth);\n    h(breadth);\n    k(breadth);\n}\n')
end)

case('rename with the real server is continued in another open file', function()
  local main = 'use crate::shape::area;\n\nfn main() {\n    area(2);\n}\n'
  vim.fn.writefile(vim.split(vim.trim(main), '\n'), support.folder() .. '/main.rs')
  local editor = start({ text = 'pub fn ˇarea(width: u32) -> u32 {\n    width * 2\n}\n', name = 'shape.rs' })
  editor:attached()
  editor:lua(('vim.cmd.edit(%q)'):format(support.folder() .. '/main.rs'))
  editor:attached()
  editor:keys(':buffer shape.rs<CR>')
  editor:keys('ciwsurface<Esc>')
  eventually('the hint', function()
    return editor:drawn():find('Tab: → .*main.rs, line 1') ~= nil
  end, true)
  editor:keys('<Tab>')
  eventually('the other file', function()
    return editor:drawn():match('^[^\n]*')
  end, '▸use crate::shape::⟦-area-⟧⟦+surface+⟧;{Tab: apply}')
  editor:keys('<Tab>')
  eventually('the next place', function()
    return editor:drawn():find('▸    ⟦-area-⟧', 1, true) ~= nil
  end, true)
  editor:keys('<Tab><Tab>')
  reads(editor, (main:gsub('area', 'surface')))
end)

--- The path of a program that starts the server with a delay.
local function late(seconds)
  local path = support.folder() .. '/late'
  vim.fn.writefile({ '#!/bin/sh', 'sleep ' .. seconds, 'exec "$TANDEM" "$@"' }, path)
  vim.uv.fs_chmod(path, 493)
  return path
end

case('edit made before the server is ready leads to a next edit', function()
  local editor = start({
    text = 'def count(items):\n    ˇnames = sorted(items)\n    return len(names)\n',
    name = 'main.py',
    simulator = false,
    options = { cmd = late(1) },
  })
  editor:keys('cwlabels<Esc>')
  marks(editor, 'def count(items):\n    labelˇs = sorted(items)\n    return len(names)\n')
  assert(editor:client_id() == nil, 'the server was ready')
  draws(
    editor,
    'def count(items):\n    labels = sorted(items){Tab: ↓ line 3}\n▸    return len(⟦-names-⟧⟦+labels+⟧)\n'
  )
  editor:keys('<Tab><Tab>')
  reads(editor, 'def count(items):\n    labels = sorted(items)\n    return len(labels)\n')
end)

case('only what was edited before the server knew the file is reported with its opening', function()
  local editor = start({ text = 'ˇone\ntwo\n', name = 'a.rs', server = {}, options = {} })
  editor:attached()
  editor:keys('ix<Esc>')
  eventually('the change', function()
    return #support.heard('textDocument/didChange')
  end, 1)
  -- A restarted server gets the unsaved text as it is: the edits may be old.
  editor:lua("require('tandem').restart()")
  eventually('opened', function()
    return vim.tbl_map(function(params)
      return params.textDocument.text
    end, support.heard('textDocument/didOpen'))
  end, { 'one\ntwo\n', 'xone\ntwo\n' })
  assert(#support.heard('textDocument/didChange') == 1)
end)

--- An editor with the real server in which next edits are shown in insert mode after 60 ms.
local function inserting(text, opts)
  opts = vim.tbl_extend('force', { text = text, name = 'a.rs', simulator = false }, opts or {})
  opts.options = vim.tbl_extend('force', { next_edit_insert_pause = 60 }, opts.options or {})
  local editor = start(opts)
  editor:attached()
  return editor
end

local function hint_of(editor)
  return function()
    return editor:drawn():match('{([^{}\n]*)}\n')
  end
end

case('next edit in insert mode: a pause draws it, Tab jumps and applies, and one key more goes on typing', function()
  local editor = inserting('fn f(ˇwidth: u32) {\n    g(width);\n    h(width);\n}\n')
  editor:keys('ciwbreadth')
  eventually('the hint', hint_of(editor), 'Tab: ↓ line 2')
  editor:keys('<Tab>')
  eventually('the hint', hint_of(editor), 'Tab: apply')
  editor:keys('<Tab>')
  draws(editor, 'fn f(breadth: u32) {\n    g(breadth);{Tab: ↓ line 3}\n▸    h(⟦-width-⟧⟦+breadth+⟧);\n}\n')
  marks(editor, 'fn f(breadth: u32) {\n    g(breadthˇ);\n    h(width);\n}\n')
  assert(editor:lua('return vim.api.nvim_get_mode().mode') == 'i')
  editor:keys('<Tab><Tab>')
  reads(editor, 'fn f(breadth: u32) {\n    g(breadth);\n    h(breadth);\n}\n')
end)

case('next edit in insert mode: it stays when insert mode ends and begins', function()
  local editor = inserting('fn f(ˇwidth: u32) {\n    g(width);\n}\n')
  editor:keys('ciwbreadth')
  eventually('the hint', hint_of(editor), 'Tab: ↓ line 2')
  editor:keys('<Esc>')
  eventually('the hint', hint_of(editor), 'Tab: ↓ line 2')
  editor:keys('A')
  eventually('the hint', hint_of(editor), 'Tab: ↓ line 2')
end)

case('next edit in insert mode and only blanks before the cursor: Tab indents, and no hint names it', function()
  local editor = inserting('fn f(ˇwidth: u32) {\n    g(width);\n}\n')
  editor:keys('ciwbreadth')
  eventually('the hint', hint_of(editor), 'Tab: ↓ line 2')
  editor:keys('<Home>')
  eventually('no hint', hint_of(editor), nil)
  editor:keys('<Tab>')
  reads(editor, '    fn f(breadth: u32) {\n    g(width);\n}\n')
end)

case('next edit in insert mode beside ghost text: ghost text is on screen alone', function()
  local editor = start({
    text = 'aˇ;\nb;\n',
    name = 'a.rs',
    options = { next_edit_insert_pause = 30 },
    server = {
      replies = {
        ['textDocument/inlineCompletion'] = { { result = { { insertText = 'bcd' } } } },
        ['tandem/nextEdit'] = { reply(9, range(1, 0, 1, 1), 'c') },
      },
    },
  })
  editor:attached()
  editor:insert()
  editor:keys('a')
  eventually('ghost text', function()
    return editor:shown():find('⟦', 1, true) ~= nil
  end, true)
  vim.wait(200)
  assert(#support.heard('tandem/nextEdit') == 0)
  -- Without ghost text the pause ends in a request.
  editor:keys('<C-e>')
  editor:keys('x')
  eventually('the next edit', hint_of(editor), 'Tab: ↓ line 2')
  -- While it is drawn, the cursor's moves request no ghost text.
  local before = #support.heard('textDocument/inlineCompletion')
  editor:keys('<Left>')
  vim.wait(150)
  assert(#support.heard('textDocument/inlineCompletion') == before)
end)

case('next edit in insert mode without the option: none is requested', function()
  local editor = start({
    text = 'aˇ;\nb;\n',
    name = 'a.rs',
    server = { replies = { ['tandem/nextEdit'] = { reply(9, range(1, 0, 1, 1), 'c') } } },
  })
  editor:attached()
  editor:keys('ix')
  vim.wait(300)
  assert(#support.heard('tandem/nextEdit') == 0)
end)
