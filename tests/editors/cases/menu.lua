-- Suggestions in the menu of blink.cmp. The source is called as that plugin calls it.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local executes = common.executes

--- An editor whose server answers with these items, in insert mode behind `typed`.
local function editor_with(items, opts)
  local editor = start({
    text = opts.text,
    name = 'a.rs',
    options = { ghost_text = opts.ghost_text or false },
    server = { replies = { ['textDocument/inlineCompletion'] = { { result = items } } } },
  })
  editor:attached()
  editor:insert(opts.typed)
  return editor
end

--- What the menu gets: each entry as its label, the text that it inserts, and the bytes that this replaces.
local function entries(editor, kind)
  editor:lua(
    [[
    local kind = ...
    local source = require('tandem.blink').new()
    local cursor, line = vim.api.nvim_win_get_cursor(0), vim.api.nvim_get_current_line()
    local keyword = line:sub(1, cursor[2]):match('[%w_]*$')
    _G.context = {
      bufnr = vim.api.nvim_get_current_buf(),
      cursor = cursor,
      line = line,
      bounds = { start_col = cursor[2] - #keyword + 1, length = #keyword },
      trigger = { kind = kind },
    }
    _G.response = nil
    source:get_completions(_G.context, function(response)
      _G.response = response
    end)
  ]],
    kind or 'keyword'
  )
  eventually('an answer', function()
    return editor:lua('return _G.response ~= nil')
  end, true)
  return editor:lua([[
    return vim.tbl_map(function(item)
      local edit = item.textEdit
      return { item.label, edit.newText, edit.range.start.character, edit.range['end'].character }
    end, _G.response.items)
  ]])
end

local function check(editor, expected)
  local got = entries(editor)
  assert(vim.deep_equal(got, expected), vim.inspect(got))
end

case('blink.cmp: an entry holds the keyword before the cursor, and columns are bytes', function()
  local editor = editor_with({ { insertText = 'ight * größe;' } }, { text = '    let 猫 = ˇ\n', typed = 'he' })
  check(editor, { { 'height * größe;', 'height * größe;', 14, 16 } })
end)

case('blink.cmp: an entry of several lines is labelled with the first, and a range replaces its text', function()
  local editor = editor_with({
    {
      insertText = 'loop {\n    }',
      range = { start = { line = 0, character = 4 }, ['end'] = { line = 0, character = 8 } },
    },
  }, { text = '    ˇ;\n', typed = 'lop' })
  check(editor, { { 'loop { …', 'loop {\n    }', 4, 8 } })
end)

case('blink.cmp: without a suggestion the menu gets none', function()
  check(editor_with({}, { text = 'ˇ\n', typed = 'x' }), {})
end)

case('blink.cmp: the selected entry is reported as shown, the accepted one as accepted', function()
  local item = {
    insertText = 'ight',
    command = { title = 'Accept', command = 'tandem.accept', arguments = { 31 } },
  }
  local editor = editor_with({ item }, { text = 'ˇ\n', typed = 'he' })
  entries(editor, 'manual')
  assert(support.heard('textDocument/inlineCompletion')[1].context.triggerKind == 1)
  local done = editor:lua([[
    local source = require('tandem.blink').new()
    local item, steps = _G.response.items[1], {}
    source:resolve(item, function()
      table.insert(steps, 'resolved')
    end)
    source:execute(_G.context, item, function()
      table.insert(steps, 'called back')
    end, function()
      table.insert(steps, 'inserted')
    end)
    return steps
  ]])
  assert(vim.deep_equal(done, { 'resolved', 'inserted', 'called back' }), vim.inspect(done))
  executes({ 'tandem.accept 31' })
  eventually('it was reported as shown', function()
    return support.heard('tandem/didShow')[1]
  end, { item = 31 })
end)

case('blink.cmp: the source is asked only where ghost text is off', function()
  local function is_enabled(ghost_text)
    local editor = editor_with({}, { text = 'ˇ\n', ghost_text = ghost_text })
    return editor:lua('return require("tandem.blink").new():enabled()')
  end
  assert(is_enabled(false) and not is_enabled(true))
end)
