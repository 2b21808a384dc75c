-- Rewrites by comment and by box.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local reads, says = common.reads, common.says

case('`ai:` comment is a code action, and one undo takes it back', function()
  local text = '// ai: rename width to breadth\nfn area(width: u32) -> u32 {\n    width * width\n}\n'
  local editor = start({ text = 'ˇ' .. text })
  editor:attached()
  editor:lua('vim.lsp.buf.code_action({ apply = true })')
  reads(editor, 'fn area(breadth: u32) -> u32 {\n    breadth * breadth\n}\n')
  editor:keys('u')
  reads(editor, text)
end)

case('code action that comes to nothing says why, in words', function()
  local editor = start({ text = 'ˇ// ai: make it beautiful\nlet a = 1;\n', name = 'a.rs' })
  editor:attached()
  editor:lua('vim.lsp.buf.code_action({ apply = true })')
  says(editor, { 'Tandem: the model left the code as it is' })
  -- Without a model, by the editor's own command.
  editor = start({ text = 'ˇ// ai: make it beautiful\nlet a = 1;\n', name = 'a.rs', config = '' })
  editor:attached()
  editor:lua('vim.lsp.buf.code_action({ apply = true })')
  says(editor, { 'Tandem: no model is configured; `:Tandem setup` chooses one, or write `rename A to B`' })
end)

case(':Tandem rewrite with a selection changes the selected lines only', function()
  local editor = start({ text = 'let ˇa = 1;\nlet c = a;\nlet d = a;\n', name = 'a.rs' })
  editor:attached()
  editor:keys('Vj:Tandem rewrite rename a to b<CR>')
  reads(editor, 'let b = 1;\nlet c = b;\nlet d = a;\n')
  editor:keys('u')
  reads(editor, 'let a = 1;\nlet c = a;\nlet d = a;\n')
end)

case(':Tandem rewrite without arguments prompts, and takes the definition at the cursor', function()
  local editor = start({ text = 'let a = 0;\nfn ˇf(a: u32) {\n    a;\n}\n', name = 'a.rs' })
  editor:attached()
  editor:keys(':Tandem rewrite<CR>')
  editor:keys('rename a to 猫<CR>')
  reads(editor, 'let a = 0;\nfn f(猫: u32) {\n    猫;\n}\n')
end)

case(':Tandem rewrite inside of a function names it, highlights its lines, and takes all of it', function()
  local editor = start({ text = 'let a = 0;\nfn first(a: u32) {\n    ˇa;\n}\n', name = 'a.rs' })
  editor:attached()
  editor:lua([[
    vim.ui.input = function(opts, done)
      _G.prompt = opts.prompt
      local namespace = vim.api.nvim_get_namespaces()['tandem.rewrite']
      _G.marked = vim.tbl_map(function(mark)
        return mark[2]
      end, vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {}))
      done('rename a to b')
    end
  ]])
  editor:keys(':Tandem rewrite<CR>')
  reads(editor, 'let a = 0;\nfn first(b: u32) {\n    b;\n}\n')
  assert(editor:lua('return _G.prompt') == 'Rewrite `fn first` (lines 2-4): ', editor:lua('return _G.prompt'))
  assert(vim.deep_equal(editor:lua('return _G.marked'), { 1, 2, 3 }))
end)

case('uses that a rewrite has left are listed by a remedy, and left to a plan if there is a model', function()
  local at = { line = 2, character = 0 }
  local place = { uri = vim.uri_from_fname(support.folder() .. '/b.rs'), range = { start = at, ['end'] = at } }
  local function answer(left)
    return { result = { model = 'm', flags = { '1 line in 1 file no longer fits: b.rs:3' }, left = left } }
  end
  local editor = start({
    text = 'let ˇa = 1;\n',
    name = 'a.rs',
    server = {
      replies = {
        ['workspace/executeCommand'] = {
          answer({ places = { place } }),
          answer({ places = { place }, instruction = 'Adapt the uses' }),
        },
      },
    },
  })
  editor:attached()
  editor:lua([[
    vim.ui.select = function(items, _, done)
      done(items[1])
    end
    require('tandem.plan').plan = function(instruction)
      _G.planned = instruction
    end
    local echo = require('tandem.notify').echo
    require('tandem.notify').echo = function(message)
      _G.told = message
      echo(message)
    end
  ]])
  for _, expected in ipairs({ { 3 }, { 3, 'Adapt the uses' } }) do
    editor:lua('_G.told = nil')
    editor:keys(':Tandem rewrite rename a to b<CR>')
    eventually('what is told', function()
      return editor:lua('return _G.told')
    end, 'rewritten by m (1 line in 1 file no longer fits: b.rs:3) (:Tandem remedy)')
    editor:keys(':Tandem remedy<CR>')
    eventually('what is left', function()
      return editor:lua('return { vim.fn.getqflist()[1].lnum, _G.planned }')
    end, expected)
    editor:keys(':cclose<CR>')
  end
end)

case('rewrite without a result gives a message', function()
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs' })
  editor:attached()
  editor:keys(':Tandem rewrite make it beautiful<CR>')
  says(editor, { 'Tandem: the model left the code as it is' })
end)

case('rewrite without a model is made by the local engine', function()
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', simulator = false })
  editor:attached()
  editor:keys(':Tandem rewrite rename a to b<CR>')
  reads(editor, 'let b = 1;\n')
end)

--- Has the server's client apply an edit that begins a file on disk and an open one, which was typed into, with `new`.
--- @param behind integer How many versions of the open one came since
--- @return Editor
--- @return table answer The one to `workspace/applyEdit`
local function pushed(behind)
  vim.fn.writefile({ 'let b = 2;' }, support.folder() .. '/b.rs')
  local editor = start({ text = 'ˇlet a = 1;\n', name = 'a.rs' })
  editor:attached()
  editor:keys('ix<Esc>')
  reads(editor, 'xlet a = 1;\n')
  local answer = editor:lua(
    [[
    local function change(uri, version)
      local at = { line = 0, character = 0 }
      return {
        textDocument = { uri = uri, version = version },
        edits = { { range = { start = at, ['end'] = at }, newText = 'new ' } },
      }
    end
    local client = vim.lsp.get_clients({ name = 'tandem' })[1]
    local apply = client.handlers['workspace/applyEdit'] or vim.lsp.handlers['workspace/applyEdit']
    return apply(nil, {
      label = 'begin',
      edit = {
        documentChanges = {
          change(vim.uri_from_fname(vim.fn.getcwd() .. '/b.rs')),
          change(vim.uri_from_bufnr(0), vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()] - ...),
        },
      },
    }, { client_id = client.id })
  ]],
    behind
  )
  return editor, answer
end

case('edit of the server is made in all files, or in none if one has another version', function()
  for behind, expected in pairs({
    [0] = { { applied = true }, 'new xlet a = 1;\n', 'new let b = 2;\n' },
    { { applied = false, failureReason = 'a.rs has changed since' }, 'xlet a = 1;\n', 'let b = 2;\n' },
  }) do
    local editor, answer = pushed(behind)
    assert(vim.deep_equal(answer, expected[1]), vim.inspect(answer))
    reads(editor, expected[2])
    editor:keys(':hide edit b.rs<CR>')
    reads(editor, expected[3])
  end
end)
