-- Changes across many files: a plan to edit, one diff, one key.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local reads = common.reads

local SCRIPT = {
  {
    when = 'You plan',
    reply = '```\n1. edit `a.rs`: make it three\n2. create `tests/b.rs`: hold four\n```\n',
  },
  { when = 'The file: a.rs', reply = '<<<<<<< SEARCH\nlet a = 1;\n=======\nlet a = 3;\n>>>>>>> REPLACE\n' },
  { when = 'The new file: tests/b.rs', reply = '```rust\nfn four() {}\n```\n' },
}

local PLAN = [[
> Change, add or delete steps. :w runs the plan, :bd! discards it.

# count

1. edit `a.rs`
   gear: fast (one file, quick to check)

   make it three

2. create `tests/b.rs`
   gear: fast (one file, quick to check)

   hold four
]]

local DIFF = [[
a: apply to the ticked files, x: tick or leave out a file, q: discard.
[x] a.rs
[x] tests/b.rs
--- a/a.rs
+++ b/a.rs
@@ -1,2 +1,2 @@
-let a = 1;
+let a = 3;
 let b = 2;
--- /dev/null
+++ b/tests/b.rs
@@ -0,0 +1 @@
+fn four() {}
]]

--- Waits until a window shows this.
local function window(editor, expected)
  eventually('the window', function()
    return editor:text()
  end, expected)
end

--- Waits until this was said.
local function told(editor, expected)
  eventually(('the message %q'):format(expected), function()
    return vim.tbl_contains(editor:lua('return _G.told'), expected)
  end, true)
end

local function planned()
  local editor = start({ text = 'let ˇa = 1;\nlet b = 2;\n', name = 'a.rs', script = SCRIPT })
  editor:attached()
  editor:lua([[
    _G.told = {}
    local notify = require('tandem.notify')
    for _, name in ipairs({ 'echo', 'warn' }) do
      local show = notify[name]
      notify[name] = function(text)
        table.insert(_G.told, text)
        show(text)
      end
    end
  ]])
  editor:keys(':Tandem plan count<CR>')
  window(editor, PLAN)
  return editor
end

case(':Tandem plan shows a plan, :w its diff, and a key applies it to all files', function()
  local editor = planned()
  editor:keys(':w<CR>')
  window(editor, DIFF)
  editor:keys('a')
  reads(editor, 'let a = 3;\nlet b = 2;\n')
  told(editor, 'applied to 2 files; :wall saves that, :Tandem undo undoes it')
  eventually('the cursor on the changed line', function()
    return editor:lua('return vim.api.nvim_win_get_cursor(0)')
  end, { 1, 0 })
  editor:keys('u')
  reads(editor, 'let a = 1;\nlet b = 2;\n')
  editor:keys(':Tandem undo<CR>')
  told(editor, 'a.rs was changed or closed since, so nothing was undone; u undoes in one file')
end)

case(':Tandem undo takes a change back in all of its files', function()
  local editor = planned()
  editor:keys(':Tandem undo<CR>')
  told(editor, 'no edit of several files to undo; u undoes in one file')
  editor:keys(':w<CR>')
  window(editor, DIFF)
  editor:keys('a')
  reads(editor, 'let a = 3;\nlet b = 2;\n')
  editor:keys(':wall<CR>:Tandem undo<CR>')
  local rest = 'files that were created, renamed or deleted stay so'
  told(editor, ('undone in 2 files; %s; :wall saves that'):format(rest))
  reads(editor, 'let a = 1;\nlet b = 2;\n')
end)

case(':Tandem plan without an instruction asks for one, with an example', function()
  local editor = start({
    text = 'let ˇa = 1;\n',
    name = 'a.rs',
    server = { replies = { ['workspace/executeCommand'] = { { after = 600000 } } } },
  })
  editor:attached()
  editor:lua([[
    vim.ui.input = function(opts, done)
      _G.asked = opts.prompt
      done(' count ')
    end
  ]])
  editor:keys(':Tandem plan<CR>')
  eventually('the instruction', function()
    local sent = support.heard('workspace/executeCommand')[1]
    return sent and sent.arguments[1].instruction
  end, 'count')
  local asked = editor:lua('return _G.asked')
  assert(asked == 'Change to make across files, such as `return a Result from load`: ', asked)
end)

case('file that is not ticked is left as it is', function()
  local editor = planned()
  editor:keys(':w<CR>')
  window(editor, DIFF)
  -- In its diff, and in the list.
  editor:keys('/+let a = 3<CR>x')
  window(editor, (DIFF:gsub('%[x%] a.rs', '[ ] a.rs')))
  editor:keys('/tests<CR>x')
  window(editor, (DIFF:gsub('%[x%]', '[ ]')))
  editor:keys('a')
  window(editor, (DIFF:gsub('%[x%]', '[ ]')))
  editor:keys('xa')
  eventually('the new file', function()
    return editor:lua("return vim.fn.getbufline(vim.fn.bufnr('tests/b.rs'), 1, '$')")
  end, { 'fn four() {}' })
  reads(editor, 'let a = 1;\nlet b = 2;\n')
end)

case('what leaving out a file breaks is shown before the rest of a plan is applied', function()
  vim.fn.writefile({ 'let b = 1;' }, support.folder() .. '/b.rs')
  local function change(name)
    return {
      textDocument = { uri = vim.uri_from_fname(support.folder() .. '/' .. name), version = vim.NIL },
      edits = {
        { range = { start = { line = 0, character = 8 }, ['end'] = { line = 0, character = 9 } }, newText = '3' },
      },
    }
  end
  local edit = { documentChanges = { change('b.rs'), change('a.rs') } }
  edit.documentChanges[2].textDocument.version = 0
  local finding = 'a.rs:1: it uses `b`, which is left out'
  local editor = start({
    text = 'let ˇa = 1;\n',
    name = 'a.rs',
    server = {
      replies = {
        ['workspace/executeCommand'] = {
          { result = { status = 'changed', edit = edit, diff = 'the diff' } },
          { result = { findings = { finding } } },
          { result = { findings = { finding } } },
        },
      },
    },
  })
  editor:attached()
  editor:keys(':Tandem plan count<CR>')
  local title = 'a: apply to the ticked files, x: tick or leave out a file, q: discard.\n'
  window(editor, title .. '[x] b.rs\n[x] a.rs\nthe diff\n')
  editor:keys('jxa')
  local warning = '! The files that are left out are needed. a: apply anyway, x: tick a file.\n! ' .. finding .. '\n'
  local warned = title .. '[ ] b.rs\n[x] a.rs\n' .. warning .. 'the diff\n'
  window(editor, warned)
  local checked = support.heard('workspace/executeCommand')[2]
  assert(checked.command == 'tandem.checkPlan', vim.inspect(checked))
  assert(
    vim.deep_equal(checked.arguments[1].leaveOut, { edit.documentChanges[1].textDocument.uri }),
    vim.inspect(checked)
  )
  -- Ticks that have changed are checked again.
  editor:keys('ggjx')
  window(editor, title .. '[x] b.rs\n[x] a.rs\nthe diff\n')
  editor:keys('xa')
  window(editor, warned)
  assert(editor:lua("return vim.fn.getbufline(vim.fn.bufnr('a.rs'), 1)[1]") == 'let a = 1;')
  editor:keys('a')
  reads(editor, 'let a = 3;\n')
  assert(vim.deep_equal(vim.fn.readfile(support.folder() .. '/b.rs'), { 'let b = 1;' }))
end)

case(':Tandem cancel stops a plan', function()
  local editor = start({
    text = 'let ˇa = 1;\n',
    name = 'a.rs',
    server = { replies = { ['workspace/executeCommand'] = { { after = 600000 } } } },
  })
  editor:attached()
  editor:keys(':Tandem plan count<CR>')
  eventually('the request', function()
    return #support.heard('workspace/executeCommand')
  end, 1)
  editor:keys(':Tandem cancel<CR>')
  eventually('cancelled', function()
    return #support.heard('$/cancelRequest')
  end, 1)
end)

case('plan without some of its steps changes the rest alone', function()
  local editor = planned()
  editor:keys('ggddd/^2<CR>:w<CR>')
  window(editor, (DIFF:gsub('%[x%] a.rs\n', ''):gsub('%-%-%- a/a.*let b = 2;\n', '')))
  editor:keys('q')
  reads(editor, 'let a = 1;\nlet b = 2;\n')
end)

case('plan that cannot be read is kept, and its line is named', function()
  local editor = planned()
  editor:keys(":$put ='stray'<CR>:w<CR>")
  common.says(editor, { '`plan`: line 14: it belongs to no step; indent it below one, or put `>` before it' })
  editor:keys('u:w<CR>')
  window(editor, DIFF)
end)

--- The lines of a file on disk, nil if there is none.
local function written(name)
  local path = support.folder() .. '/' .. name
  return vim.uv.fs_stat(path) and vim.fn.readfile(path) or nil
end

--- Plans to make three of each number in these files, has a person do something while the diff is shown, and applies it.
--- @param files string[] The first is open, the others are on disk
--- @param meanwhile fun(editor: Editor)
--- @return Editor
local function applied_late(files, meanwhile)
  local script = { { when = 'You plan', reply = '```\n' } }
  for i, name in ipairs(files) do
    script[1].reply = script[1].reply .. ('%d. edit `%s`: make it three\n'):format(i, name)
    table.insert(script, {
      when = 'The file: ' .. name,
      reply = '<<<<<<< SEARCH\n\nlet a = 1;\n=======\n\nlet a = 3;\n>>>>>>> REPLACE\n',
    })
    if i > 1 then
      vim.fn.writefile({ '', 'let a = 1;' }, support.folder() .. '/' .. name)
    end
  end
  script[1].reply = script[1].reply .. '```\n'
  local editor = start({ text = 'ˇ\nlet a = 1;\n', name = files[1], script = script })
  editor:attached()
  editor:keys(':Tandem plan count<CR>')
  eventually('the plan', function()
    return editor:lua('return vim.bo.filetype')
  end, 'markdown')
  editor:keys(':w<CR>')
  eventually('the diff', function()
    return editor:lua('return vim.bo.filetype')
  end, 'diff')
  meanwhile(editor)
  editor:keys('a')
  return editor
end

case('plan is applied to no file once one that is open has changed, until an undo', function()
  local editor = applied_late({ 'a.rs', 'b.rs' }, function(editor)
    editor:keys('<C-w>kggOone<CR>two<CR>three<Esc><C-w>j')
  end)
  common.says(editor, { 'Tandem: a.rs has changed since, so nothing was applied' })
  editor:keys('<C-w>k')
  reads(editor, 'one\ntwo\nthree\n\nlet a = 1;\n')
  assert(vim.deep_equal(written('b.rs'), { '', 'let a = 1;' }))
  editor:keys('u<C-w>ja')
  reads(editor, '\nlet a = 3;\n')
end)

case('plan is applied to no file once one that is not open has changed', function()
  local editor = applied_late({ 'a.rs', 'b.rs' }, function()
    vim.fn.writefile({ 'one', '', 'let a = 1;' }, support.folder() .. '/b.rs')
  end)
  common.says(editor, { 'Tandem: b.rs has changed since, so nothing was applied' })
  editor:keys('q')
  reads(editor, '\nlet a = 1;\n')
  assert(vim.deep_equal(written('b.rs'), { 'one', '', 'let a = 1;' }))
end)

case('plan is applied to no file once one is open that was not, and has changed', function()
  local editor = applied_late({ 'a.rs', 'b.rs' }, function(editor)
    editor:keys('<C-w>k:edit b.rs<CR>Oone<Esc><C-w>j')
  end)
  common.says(editor, { 'Tandem: b.rs has changed since, so nothing was applied' })
  editor:keys('<C-w>k')
  reads(editor, 'one\n\nlet a = 1;\n')
  editor:keys(':buffer a.rs<CR>')
  reads(editor, '\nlet a = 1;\n')
end)

case('plan of a file that is open without the server, and not saved, is refused', function()
  local editor = start({
    text = 'ˇ\n',
    name = 'a.rs',
    script = {
      { when = 'You plan', reply = '```\n1. edit `b.rs`: make it three\n```\n' },
      { when = 'The file: b.rs', reply = '<<<<<<< SEARCH\nlet a = 1;\n=======\nlet a = 3;\n>>>>>>> REPLACE\n' },
    },
  })
  editor:attached()
  vim.fn.writefile({ 'let a = 1;' }, support.folder() .. '/b.rs')
  editor:keys(':noautocmd split b.rs<CR>Oone<Esc><C-w>p:Tandem plan count<CR>')
  eventually('the plan', function()
    return editor:lua('return vim.bo.filetype')
  end, 'markdown')
  editor:keys(':w<CR>')
  common.says(editor, { 'Tandem: b.rs has changed since, so this change is not shown; repeat it' })
end)

case('plan does not write over a file that was made meanwhile', function()
  local editor = planned()
  editor:keys(':w<CR>')
  window(editor, DIFF)
  vim.fn.mkdir(support.folder() .. '/tests')
  vim.fn.writefile({ 'fn five() {}' }, support.folder() .. '/tests/b.rs')
  editor:keys('a')
  common.says(editor, { 'Tandem: tests/b.rs has changed since, so nothing was applied' })
  editor:keys('q')
  reads(editor, 'let a = 1;\nlet b = 2;\n')
  assert(vim.deep_equal(written('tests/b.rs'), { 'fn five() {}' }))
end)

--- The text of the plan, nil if it is gone.
local function plan_text(editor)
  return editor:lua([[
    local bufnr = vim.fn.bufnr('^tandem://plan$')
    return bufnr ~= -1 and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n') .. '\n' or nil
  ]])
end

case('plan of which a step fails stays, and can be changed and run again', function()
  local script = { SCRIPT[1], { when = 'The file: a.rs', reply = 'It cannot be done.\n' }, SCRIPT[3] }
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', script = script })
  editor:attached()
  editor:keys(':Tandem plan count<CR>')
  window(editor, PLAN)
  editor:keys(':w<CR>')
  eventually('the outcome', function()
    return editor:text():match('[^\n]*')
  end, 'Nothing is changed. q: close.')
  assert(plan_text(editor) == PLAN, plan_text(editor) or 'it is gone')
  editor:keys('q<C-w>bggddd/^2<CR>:w<CR>')
  eventually('the diff', function()
    return editor:text():match('[^\n]*')
  end, DIFF:match('[^\n]*'))
  assert(plan_text(editor) == nil, plan_text(editor))
end)

case('plan that changes nothing stays', function()
  local nothing = '<<<<<<< SEARCH\nlet a = 1;\n=======\nlet a = 1;\n>>>>>>> REPLACE\n'
  local script = {
    { when = 'You plan', reply = '```\n1. edit `a.rs`: make it three\n```\n' },
    { when = 'The file: a.rs', reply = nothing },
  }
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', script = script })
  editor:attached()
  editor:keys(':Tandem plan count<CR>')
  eventually('the plan', function()
    return editor:lua('return vim.bo.filetype')
  end, 'markdown')
  local plan = plan_text(editor)
  editor:lua("require('tandem.notify').echo = function(message) _G.echoed = message end")
  editor:keys(':w<CR>')
  eventually('the outcome', function()
    return editor:lua('return _G.echoed')
  end, 'nothing to change')
  assert(plan_text(editor) == plan, plan_text(editor) or 'it is gone')
end)

case('plan that is changed while it runs stays beside the diff', function()
  local script = { SCRIPT[1], vim.tbl_extend('error', SCRIPT[2], { ttft_ms = 500 }), SCRIPT[3] }
  local editor = start({ text = 'let ˇa = 1;\nlet b = 2;\n', name = 'a.rs', script = script })
  editor:attached()
  editor:keys(':Tandem plan count<CR>')
  window(editor, PLAN)
  editor:keys(':w<CR>Gofive<Esc>')
  window(editor, DIFF)
  assert(plan_text(editor) == PLAN .. '   five\n', plan_text(editor) or 'it is gone')
end)
