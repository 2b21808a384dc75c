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
> Change, add or delete steps. :w carries the plan out, :bd! forgets it.

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

local function planned()
  local editor = start({ text = 'let ˇa = 1;\nlet b = 2;\n', name = 'a.rs', script = SCRIPT })
  editor:attached()
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
  editor:keys('u')
  reads(editor, 'let a = 1;\nlet b = 2;\n')
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
