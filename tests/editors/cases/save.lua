-- Certain fixes, on request and before a write.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local reads = common.reads

local TEXT = 'fn f() -> u32 {\n    let total = 1;\n    ˇtotl\n}\n'
local BROKEN = TEXT:gsub('ˇ', '', 1)
local FIXED = BROKEN:gsub('totl', 'total', 1)

--- What a compiler says of the misspelt name, and something without a certain fix.
local DIAGNOSE = [[
  vim.diagnostic.set(vim.api.nvim_create_namespace('rustc'), 0, {
    {
      lnum = 2, col = 4, end_col = 8, severity = 1, source = 'rustc', code = 'E0425',
      message = 'cannot find value `totl` in this scope; a local variable with a similar name exists: `total`',
    },
    { lnum = 0, col = 3, end_col = 4, severity = 1, source = 'rustc', message = 'mismatched types' },
  })
]]

local function on_disk()
  return table.concat(vim.fn.readfile(support.folder() .. '/shape.rs', 'b'), '\n')
end

case('certain fixes are made before a write with fix_on_save', function()
  local editor = start({ text = TEXT, options = { fix_on_save = true } })
  editor:attached()
  editor:lua(DIAGNOSE)
  -- A write does not wait for long, so that on a busy machine a later one has the fix.
  eventually('the file', function()
    editor:lua('vim.cmd("silent write!")')
    return on_disk()
  end, FIXED)
  reads(editor, FIXED)
  common.says(editor, { 'Tandem: changed `totl` to `total` (u undoes)' })
  editor:keys('u')
  reads(editor, BROKEN)
end)

case('write that fixes something names the lines that are gone, and those that came', function()
  local function edit(line, count, text)
    local at = { start = { line = line, character = 0 }, ['end'] = { line = line + count, character = 0 } }
    return { range = at, newText = text }
  end
  local uri = vim.uri_from_fname(support.folder() .. '/s.py')
  local edits = { edit(5, 0, 'import sys\n'), edit(0, 2, ''), edit(3, 2, '') }
  local action = { title = 'Tandem: make 5 certain fixes', edit = { changes = { [uri] = edits } } }
  local editor = start({
    text = 'import os\nimport re\nˇ\nimport json\nimport time\nf(sys.argv)\n',
    name = 's.py',
    options = { fix_on_save = true },
    server = { replies = { ['textDocument/codeAction'] = { { result = { action } }, { result = {} } } } },
  })
  editor:attached()
  editor:lua('vim.cmd("silent write!")')
  reads(editor, '\nimport sys\nf(sys.argv)\n')
  local said = {
    'Tandem: added `import sys`; removed `import os`, `import re`, `import json` and 1 more (u undoes)',
  }
  common.says(editor, said)
  -- A write that fixes nothing says nothing.
  editor:lua('vim.cmd("silent write!")')
  vim.wait(100)
  common.says(editor, said)
end)

case('certain fixes come before a formatter that is set up after the plugin', function()
  local editor = start({ text = TEXT, options = { fix_on_save = true } })
  editor:attached()
  editor:lua(DIAGNOSE)
  -- It tells in a comment which name it has seen.
  editor:lua([[
    vim.api.nvim_create_autocmd('BufWritePre', {
      callback = function(event)
        local lines = vim.api.nvim_buf_get_lines(event.buf, 0, -1, false)
        lines[3] = lines[3]:gsub('^    (%a+)$', '    %1 // %1')
        vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, lines)
      end,
    })
  ]])
  local expected = FIXED:gsub('    total\n', '    total // total\n', 1)
  -- The first write that has the fix; one that came too early is taken back.
  eventually('the file', function()
    editor:lua('vim.cmd("silent write!")')
    local written = on_disk()
    if written:find('totl', 1, true) then
      editor:lua('vim.cmd("silent undo")')
      editor:lua(DIAGNOSE)
    end
    return written
  end, expected)
end)

case('a write is left alone without fix_on_save', function()
  local editor = start({ text = TEXT, name = 'shape.rs', server = {} })
  editor:attached()
  editor:lua(DIAGNOSE)
  editor:lua('vim.cmd("silent write!")')
  assert(on_disk() == BROKEN, on_disk())
  assert(#support.heard('textDocument/codeAction') == 0)
end)

case('a write goes ahead when the server does not answer', function()
  local replies = { ['textDocument/codeAction'] = { { result = {}, after = 3600000 } } }
  local options = { fix_on_save = true }
  local editor = start({ text = TEXT, name = 'shape.rs', server = { replies = replies }, options = options })
  editor:attached()
  editor:lua(DIAGNOSE)
  editor:lua('vim.cmd("silent write!")')
  assert(on_disk() == BROKEN, on_disk())
  eventually('questions', function()
    return #support.heard('textDocument/codeAction')
  end, 1)
  local context = support.heard('textDocument/codeAction')[1].context
  assert(vim.deep_equal(context.only, { 'source.fixAll.tandem' }) and #context.diagnostics == 2, vim.inspect(context))
end)

case(':Tandem fix makes the certain fixes of the file', function()
  local editor = start({ text = TEXT })
  editor:attached()
  editor:lua(DIAGNOSE)
  eventually('the text', function()
    editor:lua('vim.cmd("Tandem fix")')
    return editor:text()
  end, FIXED)
end)

case(':Tandem fix quickfix makes the certain fixes in all files that :make found wrong', function()
  local editor = start({ text = TEXT })
  editor:attached()
  local said = 'cannot find value `totl` in this scope; a local variable with a similar name exists: `total`'
  local other = support.folder() .. '/other.rs'
  vim.fn.writefile(vim.split(BROKEN, '\n'), other, 'b')
  editor:lua(
    [[
      local here, other, said = ...
      vim.go.errorformat = '%f:%l:%c: %m'
      vim.cmd.cexpr(vim.fn.string({ here .. ':3:5: ' .. said, other .. ':3:5: ' .. said, 'make: failed' }))
    ]],
    support.folder() .. '/shape.rs',
    other,
    said
  )
  eventually('the texts', function()
    editor:lua('vim.cmd("Tandem fix quickfix")')
    return editor:lua(
      [[return vim.tbl_map(function(name)
        return table.concat(vim.fn.getbufline(vim.fn.bufnr(name), 1, '$'), '\n') .. '\n'
      end, { ... })]],
      support.folder() .. '/shape.rs',
      other
    )
  end, { FIXED, FIXED })
end)
