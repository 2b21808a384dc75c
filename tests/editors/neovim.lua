-- The plugin, in the Neovim that runs this file:   TANDEM=target/release/tandem nvim --headless --clean -l neovim.lua
-- This Neovim is the runner; those under test are its children.

package.path = vim.fn.fnamemodify(_G.arg[0], ':p:h') .. '/?.lua;' .. package.path
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start

local SHAPE = 'fn new(width: u32, height: u32) {\n    self.宽 = "🙂";\n    self.width = width;\n    ˇ\n}\n'

--- A shape whose next line is begun, with its ghost text on screen.
local function with_ghost(opts)
  local editor = start(vim.tbl_extend('force', { text = SHAPE }, opts or {}))
  editor:attached()
  editor:insert()
  editor:keys('self.height = ')
  eventually('ghost text', function()
    return editor:shown()
  end, '    self.height = ⟦height;⟧')
  return editor
end

local function shows(editor, expected)
  eventually('on screen', function()
    return editor:shown()
  end, expected)
end

local function reads(editor, expected)
  eventually('the text', function()
    return editor:text()
  end, expected)
end

local function says(editor, expected)
  eventually('messages', function()
    return editor:said()
  end, expected)
end

--- Waits until the server's log has a line.
local function logs(words)
  eventually(('the log has %q'):format(words), function()
    return support.logged(words)
  end, true)
end

local function rewrites()
  case('an `ai:` comment is a code action, and one undo takes it back', function()
    local text = '// ai: rename width to breadth\nfn area(width: u32) -> u32 {\n    width * width\n}\n'
    local editor = start({ text = 'ˇ' .. text })
    editor:attached()
    editor:lua('vim.lsp.buf.code_action({ apply = true })')
    reads(editor, 'fn area(breadth: u32) -> u32 {\n    breadth * breadth\n}\n')
    editor:keys('u')
    reads(editor, text)
  end)

  case(':Tandem rewrite changes the selected lines, and no others', function()
    local editor = start({ text = 'let ˇa = 1;\nlet c = a;\nlet d = a;\n', name = 'a.rs' })
    editor:attached()
    editor:keys('Vj:Tandem rewrite rename a to b<CR>')
    reads(editor, 'let b = 1;\nlet c = b;\nlet d = a;\n')
    editor:keys('u')
    reads(editor, 'let a = 1;\nlet c = a;\nlet d = a;\n')
  end)

  case(':Tandem rewrite asks for the instruction, and takes the definition at the cursor', function()
    local editor = start({ text = 'let a = 0;\nfn ˇf(a: u32) {\n    a;\n}\n', name = 'a.rs' })
    editor:attached()
    editor:keys(':Tandem rewrite<CR>')
    editor:keys('rename a to 猫<CR>')
    reads(editor, 'let a = 0;\nfn f(猫: u32) {\n    猫;\n}\n')
  end)

  case('a rewrite that comes to nothing says so', function()
    local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs' })
    editor:attached()
    editor:keys(':Tandem rewrite make it beautiful<CR>')
    says(editor, { 'Tandem: the model changed nothing' })
  end)

  case('without a model, the local engine rewrites', function()
    local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs', simulator = false })
    editor:attached()
    editor:keys(':Tandem rewrite rename a to b<CR>')
    reads(editor, 'let b = 1;\n')
  end)
end

local function starting()
  case('a missing program is said once, with what to do', function()
    local editor = start({ text = 'ˇ\n', simulator = false, options = { cmd = '/no/such/tandem' } })
    editor:lua('vim.cmd.edit("other.rs")')
    says(editor, { 'Tandem: `/no/such/tandem` cannot be run; correct `cmd` in setup()' })
    editor:keys(':Tandem rewrite rename a to b<CR>')
    says(editor, {
      'Tandem: `/no/such/tandem` cannot be run; correct `cmd` in setup()',
      'Tandem: not running for this file (:checkhealth tandem)',
    })
  end)

  case('options that cannot be used are named', function()
    local editor = start({ text = 'ˇ\n', simulator = false, options = { colour = 1, ghost_text = 'yes' } })
    says(editor, { 'Tandem: `ghost_text` must be a boolean; there is no option `colour` (:help tandem-options)' })
  end)

  case('it stays out of filetypes that it was not given', function()
    local editor = start({ text = 'ˇ\n', simulator = false, options = { filetypes = { 'rust' } } })
    editor:attached()
    editor:lua('vim.cmd.edit("notes.md")')
    editor:keys(':Tandem status<CR>')
    says(editor, { 'Tandem: not running for this file (:checkhealth tandem)' })
  end)

  case('the server is told the settings', function()
    local editor = start({ text = 'ˇ\n', simulator = false, options = { settings = { nonsense = 1 } } })
    editor:attached()
    eventually('the log window', function()
      editor:lua("require('tandem.log').open()")
      local found = editor:text():find("Tandem's settings: initializationOptions: nonsense: no such setting", 1, true)
      editor:lua('vim.cmd.bwipeout()')
      return found ~= nil
    end, true)
  end)

  case('a server that was killed is started again by :Tandem restart', function()
    local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs' })
    editor:attached()
    local pid = editor:lua('return vim.fn.getpid()')
    for _, child in ipairs(vim.api.nvim_get_proc_children(pid)) do
      vim.uv.kill(child, 'sigkill')
    end
    eventually('no server', function()
      return editor:lua("return #vim.lsp.get_clients({ name = 'tandem' })")
    end, 0)
    editor:keys(':Tandem restart<CR>')
    editor:attached()
    editor:keys(':Tandem rewrite rename a to b<CR>')
    reads(editor, 'let b = 1;\n')
  end)
end

local function health(expected)
  case(':checkhealth tandem tells how things are', function()
    local editor = start({ text = 'ˇ\n' })
    editor:attached()
    editor:lua("vim.cmd.checkhealth('tandem')")
    local text = editor:text()
    for _, words in ipairs(expected) do
      assert(text:find(words, 1, true), ('%q is not in\n%s'):format(words, text))
    end
  end)
end

local function ghost_text()
  case('ghost text is accepted by the mapping, the server hears of it, and one undo takes it back', function()
    local editor = with_ghost()
    editor:keys('<Tab>')
    eventually('the text', function()
      return editor:marked()
    end, (SHAPE:gsub('ˇ', 'self.height = height;ˇ')))
    logs('a suggestion was accepted known=true')
    editor:keys('<Esc>u')
    reads(editor, (SHAPE:gsub('ˇ', '')))
  end)

  case('several lines are drawn below each other and accepted whole', function()
    local editor = start({
      text = 'fn main() {\n    ˇ\n}\n',
      script = { { when = 'fn main', reply = 'rintln!("a");\n    println!("猫");' } },
    })
    editor:attached()
    editor:insert()
    editor:keys('p')
    shows(editor, '    p⟦rintln!("a");\n    println!("猫");⟧')
    editor:keys('r<Tab>')
    eventually('the text', function()
      return editor:marked()
    end, 'fn main() {\n    println!("a");\n    println!("猫");ˇ\n}\n')
  end)

  case('a model that cannot be reached is said once', function()
    local editor = start({ text = SHAPE, simulator = { '--fault', 'refuse-503' } })
    editor:attached()
    editor:insert()
    editor:keys('self.height')
    local function failures()
      return #vim.tbl_filter(function(message)
        return vim.startswith(message, 'Tandem: no ghost text for now: ')
      end, editor:said())
    end
    eventually('messages', failures, 1)
    editor:keys(' = ')
    vim.wait(600)
    eventually('messages', function()
      return #editor:said()
    end, 1)
  end)

  case('it is typed through without another question to the model', function()
    local editor = with_ghost()
    local asked = support.model_requests()
    editor:keys('he')
    shows(editor, '    self.height = he⟦ight;⟧')
    -- Longer than Neovim waits before it asks the server again.
    vim.wait(600)
    shows(editor, '    self.height = he⟦ight;⟧')
    editor:keys('<BS>')
    shows(editor, '    self.height = h⟦eight;⟧')
    vim.wait(600)
    editor:keys('<C-l>')
    reads(editor, (SHAPE:gsub('ˇ', 'self.height = height;')))
    eventually('questions to the model', support.model_requests, asked)
  end)

  case('accepted right after a key, it is not typed twice', function()
    local editor = with_ghost()
    editor:keys('h<Tab>')
    eventually('the text', function()
      return editor:marked()
    end, (SHAPE:gsub('ˇ', 'self.height = height;ˇ')))
    logs('a suggestion was accepted known=true')
  end)

  case('a key that it does not go on with ends it, and the mapping falls through', function()
    local editor = with_ghost()
    editor:keys('x')
    shows(editor, '    self.height = x')
    editor:keys('<Tab>;')
    reads(editor, (SHAPE:gsub('ˇ', 'self.height = x ;')))
  end)

  case('accepted right after such a key, nothing is inserted', function()
    local editor = with_ghost()
    editor:keys('x<C-l>;')
    reads(editor, (SHAPE:gsub('ˇ', 'self.height = x;')))
  end)

  --- Types `key` while the model is thinking, and follows what is on screen until `words` are in the server's log.
  local function in_flight(key, ttft_ms, words, allowed)
    local editor = start({ text = SHAPE, simulator = { '--ttft-ms', tostring(ttft_ms) } })
    editor:attached()
    editor:insert()
    editor:keys('self.height = ')
    eventually('the question is with the model', function()
      return support.model_requests()
    end, 1)
    editor:keys(key)
    local seen = {}
    eventually(words, function()
      seen[editor:shown()] = true
      return support.logged(words)
    end, true)
    for _ = 1, 30 do
      vim.wait(10)
      seen[editor:shown()] = true
    end
    for line in pairs(seen) do
      assert(vim.list_contains(allowed, line), ('%q was on screen'):format(line))
    end
    return editor
  end

  case('an answer that the next key outdated is not shown', function()
    in_flight('x', 1000, 'code="superseded"', { '    self.height = ', '    self.height = x' })
  end)

  case('an answer that meets the next key on its way is not shown', function()
    -- Neovim holds a change back for 150 ms, so that the answer comes before the server has heard of the key.
    in_flight('x', 100, 'answered job="completion"', { '    self.height = ', '    self.height = x' })
  end)

  case('an answer that fits the next key is shown from there', function()
    local allowed = { '    self.height = ', '    self.height = h', '    self.height = h⟦eight;⟧' }
    shows(in_flight('h', 100, 'answered job="completion"', allowed), '    self.height = h⟦eight;⟧')
  end)

  case('without a model, the local engine answers', function()
    with_ghost({ simulator = false })
  end)

  case('it is there again after a restart', function()
    local editor = with_ghost()
    local before = editor:client_id()
    editor:keys('<Esc>:Tandem restart<CR>')
    eventually('another server', function()
      local now = editor:client_id()
      return now ~= nil and now ~= before
    end, true)
    -- Core asks once when insert mode begins, and not for a server that it has only just met.
    eventually('on screen', function()
      editor:keys('<Esc>A')
      vim.wait(1000, function()
        return editor:shown():find('⟦', 1, true) ~= nil
      end, 10)
      return editor:shown()
    end, '    self.height = ⟦height;⟧')
    editor:keys('h<Tab>')
    reads(editor, (SHAPE:gsub('ˇ', 'self.height = height;')))
  end)

  case('it can be switched off', function()
    local editor = start({ text = SHAPE, options = { ghost_text = false } })
    editor:attached()
    editor:insert()
    editor:keys('self.height = ')
    vim.wait(600)
    shows(editor, '    self.height = ')
    eventually('questions to the model', support.model_requests, 0)
  end)
end

rewrites()
starting()
if vim.lsp.inline_completion then
  ghost_text()
  health({ 'tandem 0', 'configuration: ', 'shape.rs: running, ghost text is on' })
else
  health({ 'rewrites work, ghost text needs Neovim 0.12', 'tandem 0', 'shape.rs: running, ghost text is off' })
end
support.finish()
