-- A rename that the language's own server makes, in the place of our own edits.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local reads = common.reads

local TEXT = 'fn area(ˇwidth: u32) {\n    width + width;\n}\n'
local DONE = 'fn area(breadth: u32) {\n    breadth + breadth;\n}\n'
local TYPED = 'fn area(breadth: u32) {\n    width + width;\n}\n'

local function edit(row, from, to)
  return {
    range = { start = { line = row, character = from }, ['end'] = { line = row, character = to } },
    newText = 'breadth',
  }
end

--- What a server answers that renames, in another file as well.
local function renaming()
  vim.fn.writefile({ '// width' }, support.folder() .. '/b.rs')
  local uri = vim.uri_from_fname(support.folder() .. '/')
  return {
    result = {
      changes = {
        [uri .. 'a.rs'] = { edit(0, 8, 13), edit(1, 4, 9), edit(1, 12, 17) },
        [uri .. 'b.rs'] = { edit(0, 3, 8) },
      },
    },
  }
end

--- An editor in which a parameter was renamed where it is declared, with another server beside ours.
local function renamed(reply, timeout)
  local options = { rename_timeout = timeout or 60000 }
  local editor = start({ text = TEXT, name = 'a.rs', simulator = false, options = options })
  editor:attached()
  local can = { textDocumentSync = { openClose = true, change = 1 }, renameProvider = true }
  editor:beside('rust_ls', { can = can, replies = { ['textDocument/rename'] = { reply } } })
  -- What is said is kept where it can be read.
  editor:lua("require('tandem.notify').echo = require('tandem.notify').show")
  editor:keys('ciwbreadth<Esc>')
  eventually('the next edit', function()
    return editor:drawn():find('Tab: ↓ line 2', 1, true) ~= nil
  end, true)
  return editor
end

--- The texts that the other server was sent, and the one that it was to rename in.
local function texts()
  local found = vim.tbl_map(function(params)
    return params.contentChanges[1].text
  end, support.heard('textDocument/didChange', 'rust_ls'))
  return found
end

local function says(editor, expected)
  eventually('the last message', function()
    local said = editor:said()
    return said[#said]
  end, expected)
end

case('rename is made by the language’s own server in all files, and taken back by one undo', function()
  local editor = renamed(renaming())
  editor:keys(':Tandem all<CR>')
  reads(editor, DONE)
  says(editor, 'Tandem: renamed `width` to `breadth` in 2 files through rust_ls')
  local asked = support.heard('textDocument/rename', 'rust_ls')
  assert(vim.deep_equal(asked[1].position, { line = 0, character = 8 }), vim.inspect(asked))
  assert(asked[1].newName == 'breadth', vim.inspect(asked))
  -- It was asked about a text in which the name is the old one everywhere.
  assert(vim.list_contains(texts(), (TEXT:gsub('ˇ', ''))), vim.inspect(texts()))
  assert(editor:lua("return vim.fn.getbufline(vim.fn.bufnr('b.rs'), 1)")[1] == '// breadth')
  eventually('what is drawn', function()
    return editor:drawn()
  end, DONE)
  editor:keys('u')
  reads(editor, TYPED)
  editor:keys('<C-r>')
  reads(editor, DONE)
end)

case('rename that the language’s own server refuses is made by us', function()
  local editor = renamed({ error = { code = -32803, message = 'no' } })
  editor:keys(':Tandem all<CR>')
  reads(editor, DONE)
  says(editor, 'Tandem: applied 2 edits')
  editor:keys('u')
  reads(editor, TYPED)
end)

case('rename that the language’s own server has nothing to say to is made by us', function()
  local editor = renamed({})
  editor:keys(':Tandem all<CR>')
  reads(editor, DONE)
  says(editor, 'Tandem: applied 2 edits')
end)

case('rename that the language’s own server does not answer is made by us', function()
  local editor = renamed({ after = 600000 }, 200)
  editor:keys(':Tandem all<CR>')
  reads(editor, DONE)
  says(editor, 'Tandem: applied 2 edits')
  editor:keys('u')
  reads(editor, TYPED)
  eventually('it is told to stop', function()
    return #support.heard('$/cancelRequest', 'rust_ls')
  end, 1)
end)

case('typing stops a rename by the language’s own server, and nothing typed is lost', function()
  local editor = renamed({ after = 600000 })
  editor:keys(':Tandem all<CR>')
  eventually('the request', function()
    return #support.heard('textDocument/rename', 'rust_ls')
  end, 1)
  editor:keys('Aok<Esc>')
  reads(editor, (TYPED:gsub('{', '{ok', 1)))
  editor:keys('u')
  reads(editor, TYPED)
  editor:keys('u')
  reads(editor, (TEXT:gsub('ˇ', '')))
end)
