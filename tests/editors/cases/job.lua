-- The other jobs of a pair: explain, document, simplify, tests, review.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local reads = common.reads

local TEXT = 'def ˇone():\n    return 1\n'
local PLAIN = TEXT:gsub('ˇ', '')

--- The lines on screen in the current window.
local function window(editor, expected)
  eventually('the window', function()
    return editor:text()
  end, expected)
end

local function python(script)
  local editor = start({ text = TEXT, name = 'a.py', script = script })
  editor:attached()
  return editor
end

case(':Tandem job explain shows a text about the definition at the cursor', function()
  local editor = python({ { when = 'return 1', reply = 'It is one.\n' } })
  editor:keys(':Tandem job explain<CR>')
  window(editor, 'It is one.\n')
  editor:keys('q')
  window(editor, PLAIN)
end)

case('window of an explanation is as high as its wrapped lines, and at most half of the screen', function()
  local editor = start({
    text = TEXT,
    name = 'a.py',
    screen = { 80, 24 },
    script = { { when = 'return 1', reply = ('word '):rep(47) .. 'end.\n' } },
  })
  editor:attached()
  local function height(expected)
    eventually('the height', function()
      return editor:lua('return vim.bo.buftype == "nofile" and vim.api.nvim_win_get_height(0)')
    end, expected)
  end
  editor:keys(':Tandem job explain<CR>')
  height(3)
  editor:lua("require('tandem.window').open('long', { ('word '):rep(300) })")
  height(12)
end)

case(':Tandem job document changes the selected lines', function()
  local reply = '```python\ndef one():\n    # The first.\n    return 1\n```\n'
  local editor = python({ { when = 'Document this code', reply = reply } })
  editor:keys('Vj:Tandem job document<CR>')
  reads(editor, 'def one():\n    # The first.\n    return 1\n')
  editor:keys('u')
  reads(editor, PLAIN)
end)

case(':Tandem job tests shows the change of a plan', function()
  local editor = python({
    { when = 'You plan', reply = '```\n1. create `test_a.py`: test one\n   gear: fast\n```\n' },
    { when = 'The new file: test_a.py', reply = '```python\nfrom a import one\n```\n' },
  })
  editor:keys(':Tandem job tests<CR>')
  window(
    editor,
    'a: apply to the ticked files, x: tick or leave out a file, q: discard.\n'
      .. '`python -m pytest test_a.py` runs the tests\n[x] test_a.py\n'
      .. '--- /dev/null\n+++ b/test_a.py\n@@ -0,0 +1 @@\n+from a import one\n'
  )
end)

case(':Tandem job review makes diagnostics of what it finds', function()
  local editor = python({ { when = 'You review code', reply = 'a.py:2: nothing reads it\n' } })
  editor:keys(':Tandem job review<CR>')
  eventually('diagnostics', function()
    return editor:lua([[return vim.tbl_map(function(it)
      return { it.lnum, it.message, it.source }
    end, vim.diagnostic.get(0))]])
  end, { { 1, 'nothing reads it', 'Tandem' } })
end)

case(':Tandem job completes names, and says which there are', function()
  local editor = python({})
  local found = editor:lua("return vim.fn.getcompletion('Tandem job ', 'cmdline')")
  assert(vim.deep_equal(found, { 'document', 'explain', 'review', 'simplify', 'tests' }), vim.inspect(found))
  editor:keys(':Tandem job sing<CR>')
  common.says(editor, {
    'Tandem: there is no job `sing`; the jobs are document, explain, review, simplify, tests',
  })
  editor:keys(':Tandem job<CR>')
  common.says(editor, {
    'Tandem: there is no job `sing`; the jobs are document, explain, review, simplify, tests',
    'Tandem: name a job; the jobs are document, explain, review, simplify, tests',
  })
end)

--- A buffer of a commit, with `b.py` staged.
local function commit(above, script)
  local folder = support.folder()
  vim.fn.writefile({ 'b = 1' }, folder .. '/b.py')
  vim.fn.system({ 'git', 'init', '--quiet', folder })
  vim.fn.system({ 'git', '-C', folder, 'add', 'b.py' })
  assert(vim.v.shell_error == 0)
  local text = 'ˇ' .. above .. '\n# Please enter the commit message\n#\tnew file:   b.py\n'
  return start({ text = text, name = '.git/COMMIT_EDITMSG', script = script })
end

case(':Tandem commit writes the message into the buffer of a commit', function()
  local editor = commit('mine\n', { { when = 'You write the message', reply = 'Add b\n\nIt is one.\n' } })
  editor:keys(':Tandem commit<CR>')
  window(editor, 'Add b\n\nIt is one.\n\n# Please enter the commit message\n#\tnew file:   b.py\n')
  editor:keys('u')
  window(editor, 'mine\n\n# Please enter the commit message\n#\tnew file:   b.py\n')
end)

case('message of a commit has ghost text from what is staged', function()
  local editor = commit('', { { when = 'You finish the message', reply = 'Add b' } })
  editor:attached()
  editor:insert()
  editor:keys('Ad')
  common.shows(editor, 'Ad⟦d b⟧')
  editor:keys('<Tab>')
  window(editor, 'Add b\n# Please enter the commit message\n#\tnew file:   b.py\n')
end)

case(':Tandem commit says why there is no message, and where it works', function()
  local editor = commit('', { { when = 'nothing', reply = '' } })
  vim.fn.system({ 'git', '-C', support.folder(), 'rm', '--quiet', '--cached', 'b.py' })
  editor:keys(':Tandem commit<CR>')
  common.says(editor, { 'Tandem: nothing is staged that a model may see; run `git add` first' })
  editor:keys(':edit b.py<CR>')
  editor:keys(':Tandem commit<CR>')
  common.says(editor, {
    'Tandem: nothing is staged that a model may see; run `git add` first',
    'Tandem: `:Tandem commit` is for the buffer that `git commit` opens',
  })
end)
