-- What Tab does with this on screen: every row of the table in editors/protocol.md, "What Tab does".

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local SHAPE, with_ghost = common.SHAPE, common.with_ghost
local reads, marks, shows = common.reads, common.marks, common.shows

local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/../../../editors'

--- The table's rows of words.
local function rows()
  local found, within = {}, false
  for line in io.lines(root .. '/protocol.md') do
    if vim.startswith(line, '## ') then
      within = line == '## What Tab does'
    elseif within and vim.startswith(line, '| ') and not vim.startswith(line, '| `menu`') then
      local cells = vim.split(line, '|', { plain = true })
      table.insert(
        found,
        vim.tbl_map(function(cell)
          return vim.trim((cell:gsub('`', '')))
        end, vim.list_slice(cells, 2, 7))
      )
    end
  end
  return found
end

case('every state of the screen: Tab does what the table says', function()
  local tab = dofile(root .. '/neovim/lua/tandem/tab.lua')
  local all = rows()
  assert(#all == 7, vim.inspect(all))
  local states = 0
  local function check(screen)
    local function word(name)
      local value = screen[name]
      return type(value) == 'string' and value or value and 'yes' or 'no'
    end
    local words = vim.tbl_map(word, { 'menu', 'snippet', 'ghost', 'edit', 'indents' })
    for _, cells in ipairs(all) do
      local fits = true
      for i, expected in ipairs(words) do
        fits = fits and (cells[i] == 'any' or cells[i] == expected)
      end
      if fits then
        assert(tab.action(screen) == cells[6], vim.inspect(screen))
        states = states + 1
        return
      end
    end
    error('no row fits ' .. vim.inspect(screen))
  end
  local both = { false, true }
  for _, menu in ipairs(both) do
    for _, snippet in ipairs(both) do
      for _, ghost in ipairs(both) do
        for _, edit in ipairs({ 'none', 'far', 'here' }) do
          for _, indents in ipairs(both) do
            check({ menu = menu, snippet = snippet, ghost = ghost, edit = edit, indents = indents })
          end
        end
      end
    end
  end
  assert(states == 48, states)
end)

--- An editor without a model, the cursor at `ˇ`.
local function plain(text)
  local editor = start({ text = text, name = 'a.rs', simulator = false })
  editor:attached()
  return editor
end

case('nothing on screen: Tab is the editor’s own', function()
  local editor = plain('ˇa\nb\nc\n')
  editor:keys('i<Tab><Esc>')
  reads(editor, '    a\nb\nc\n')
  -- In normal mode it goes forward in the jumplist.
  editor:keys('G<C-o>')
  marks(editor, '   ˇ a\nb\nc\n')
  editor:keys('<Tab>')
  marks(editor, '    a\nb\nˇc\n')
end)

case('ghost text: Tab accepts it, in the indentation, too', function()
  local editor = start({
    text = 'let x = 1;\nˇ\n',
    name = 'a.rs',
    server = {
      replies = {
        ['textDocument/inlineCompletion'] = { { result = { { insertText = '        loop {}' } } } },
      },
    },
  })
  editor:attached()
  editor:insert()
  shows(editor, '⟦        loop {}⟧')
  editor:keys('<Tab>')
  reads(editor, 'let x = 1;\n        loop {}\n')
end)

case('menu with a selected entry beside ghost text: Tab takes the entry', function()
  local editor = with_ghost({ text = 'heron\n' .. SHAPE })
  editor:lua('vim.o.completeopt = "menuone,noselect,noinsert"')
  editor:keys('he<C-x><C-n>')
  eventually('the menu', function()
    return editor:lua('return vim.fn.pumvisible()')
  end, 1)
  shows(editor, '    self.height = he⟦ight;⟧')
  editor:keys('<Down>')
  eventually('the entry', function()
    return editor:lua('return vim.fn.complete_info({ "selected" }).selected')
  end, 0)
  editor:keys('<Tab>')
  eventually('the menu is closed', function()
    return editor:lua('return vim.fn.pumvisible()')
  end, 0)
  eventually('the word', function()
    return editor:lua('return vim.api.nvim_get_current_line()'):match('%w+$') ~= 'he'
  end, true)
end)

case('menu without a selected entry beside ghost text: Tab accepts the ghost text', function()
  local editor = with_ghost({ text = 'heron\n' .. SHAPE })
  editor:lua('vim.o.completeopt = "menuone,noselect,noinsert"')
  editor:keys('he<C-x><C-n>')
  eventually('the menu', function()
    return editor:lua('return vim.fn.pumvisible()')
  end, 1)
  editor:keys('<Tab>')
  reads(editor, 'heron\n' .. SHAPE:gsub('ˇ', 'self.height = height;'))
end)

case('snippet with fields: Tab goes to the next field', function()
  local editor = plain('ˇ\n')
  editor:keys('i')
  editor:lua('vim.snippet.expand("area(${1:width}, ${2:height})$0")')
  local function selects()
    eventually('the field', function()
      return editor:lua('return vim.api.nvim_get_mode().mode')
    end, 's')
  end
  selects()
  editor:keys('w<Tab>')
  selects()
  editor:keys('h<Tab>;')
  reads(editor, 'area(w, h);\n')
end)

case('next edit elsewhere, next edit here: Tab jumps, then applies, and the hint says so', function()
  local editor = plain('fn f(ˇwidth: u32) {\n    g(width);\n}\n')
  editor:keys('ciwbreadth<Esc>')
  local function hint()
    return editor:drawn():match('{(Tab: [^}]*)}')
  end
  eventually('the hint', hint, 'Tab: ↓ line 2')
  editor:keys('<Tab>')
  eventually('the hint', hint, 'Tab: apply')
  editor:keys('gg')
  eventually('the hint', hint, 'Tab: ↓ line 2')
  editor:keys('<Tab><Tab>')
  reads(editor, 'fn f(breadth: u32) {\n    g(breadth);\n}\n')
end)

case('next edit and insert mode: it is gone, and Tab is the editor’s own', function()
  local editor = plain('fn f(ˇwidth: u32) {\n    g(width);\n}\n')
  editor:keys('ciwbreadth<Esc>')
  eventually('the hint', function()
    return editor:drawn():find('Tab: ↓ line 2', 1, true) ~= nil
  end, true)
  editor:keys('I')
  eventually('nothing', function()
    return editor:drawn():find('▸', 1, true)
  end, nil)
  editor:keys('<Tab><Esc>')
  reads(editor, '    fn f(breadth: u32) {\n    g(width);\n}\n')
end)
