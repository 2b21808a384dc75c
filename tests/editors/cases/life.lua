-- Starting, stopping, and what is wrong with the surroundings.

local common = require('cases.common')
local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start
local reads, says = common.reads, common.says

case('missing program is reported once, with a remedy', function()
  local editor = start({ text = 'ˇ\n', simulator = false, options = { cmd = '/no/such/tandem' } })
  editor:lua('vim.cmd.edit("other.rs")')
  says(editor, { 'Tandem: `/no/such/tandem` cannot be run; correct `cmd` in setup()' })
  editor:keys(':Tandem rewrite rename a to b<CR>')
  says(editor, {
    'Tandem: `/no/such/tandem` cannot be run; correct `cmd` in setup()',
    'Tandem: not running here: `/no/such/tandem` cannot be run; correct `cmd` in setup()',
  })
end)

case('invalid options are named', function()
  local editor = start({ text = 'ˇ\n', simulator = false, options = { colour = 1, ghost_text = 'yes' } })
  says(editor, { 'Tandem: `ghost_text` must be a boolean; there is no option `colour` (:help tandem-options)' })
end)

case('filetypes that are not listed are not attached', function()
  local editor = start({ text = 'ˇ\n', simulator = false, options = { filetypes = { 'rust' } } })
  editor:attached()
  editor:lua('vim.cmd.edit("notes.md")')
  editor:keys(':Tandem status<CR>')
  says(editor, { 'Tandem: not running here: `filetypes` in setup() does not include `markdown`' })
end)

case('settings are sent to the server', function()
  local editor = start({ text = 'ˇ\n', simulator = false, options = { settings = { nonsense = 1 } } })
  editor:attached()
  eventually('the log window', function()
    editor:lua("require('tandem.log').open()")
    local found = editor:text():find("Tandem's settings: initializationOptions: nonsense: no such setting", 1, true)
    editor:lua('vim.cmd.bwipeout()')
    return found ~= nil
  end, true)
end)

--- Ends the servers of an editor as a crash would.
local function kill_servers(editor)
  for _, child in ipairs(vim.api.nvim_get_proc_children(editor:lua('return vim.fn.getpid()'))) do
    vim.uv.kill(child, 'sigkill')
  end
end

--- Waits until another client than this answers for the file.
local function another(editor, before)
  eventually('another server', function()
    local now = editor:client_id()
    return now ~= nil and now ~= before
  end, true)
end

case('killed server is restarted without a message', function()
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs' })
  editor:attached()
  local before = editor:client_id()
  kill_servers(editor)
  another(editor, before)
  editor:keys(':Tandem rewrite rename a to b<CR>')
  reads(editor, 'let b = 1;\n')
  for _, message in ipairs(editor:said()) do
    assert(not vim.startswith(message, 'Tandem'), message)
  end
end)

case('server that keeps crashing is not restarted until :Tandem restart', function()
  local editor = start({ text = 'ˇ\n', name = 'a.rs', server = { exit = 'initialize' } })
  local message = 'Tandem: the server stopped 3 times within a minute (exit code 3), so it is not restarted: '
    .. ':Tandem log shows why, :Tandem restart starts it again'
  local function ours()
    return vim.tbl_filter(function(said)
      return vim.startswith(said, 'Tandem')
    end, editor:said())
  end
  eventually('messages', ours, { message })
  vim.wait(500)
  assert(#support.heard('initialize') == 3, 'started three times')
  editor:keys(':Tandem restart<CR>')
  eventually('starts', function()
    return #support.heard('initialize') >= 4
  end, true)
end)

case('program that is not Tandem or too old is named', function()
  local editor = start({ text = 'ˇ\n', name = 'a.rs', server = { info = { name = 'tandem', version = '0.0.9' } } })
  editor:attached()
  eventually('messages', function()
    return (editor:said()[1] or ''):gsub('`.-`', 'P')
  end, 'Tandem: P is 0.0.9, and this plugin needs 0.1.0 or newer: install both from the same version')
  editor = start({ text = 'ˇ\n', name = 'a.rs', server = { info = { name = 'other', version = '3.0.0' } } })
  editor:attached()
  eventually('messages', function()
    return (editor:said()[1] or ''):gsub('`.-`', 'P', 1)
  end, 'Tandem: P is not Tandem: it calls itself `other`; correct `cmd` in setup()')
end)

case('buffer is attached once it has a name', function()
  local editor = start({ text = 'ˇ\n', name = 'a.rs', server = {} })
  editor:attached()
  editor:keys(':enew<CR>:set filetype=rust<CR>:Tandem rewrite x<CR>')
  says(editor, { 'Tandem: not running here: this buffer has no name yet; :write it to a file' })
  editor:keys(':write new.rs<CR>')
  editor:attached()
end)

case('remote file is reported once', function()
  local editor = start({ text = 'ˇ\n', name = 'a.rs', server = {} })
  editor:attached()
  editor:lua('vim.g.loaded_netrwPlugin = 1 vim.cmd.edit("scp://host/a.rs") vim.bo.filetype = "rust"')
  editor:lua('vim.cmd.edit("scp://host/b.rs") vim.bo.filetype = "rust"')
  local message = 'Tandem: not running here: scp:// is not on this machine; run Neovim where the file is'
  eventually('messages', function()
    return vim.tbl_filter(function(said)
      return vim.startswith(said, 'Tandem')
    end, editor:said())
  end, { message })
end)

case('unmodifiable buffer is not rewritten, and a read-only one is with a message', function()
  local editor = start({ text = 'let ˇa = 1;\n', name = 'a.rs' })
  editor:attached()
  editor:keys(':set nomodifiable<CR>:Tandem rewrite rename a to b<CR>')
  says(editor, { 'Tandem: this buffer cannot be changed (:set modifiable)' })
  editor:keys(':set modifiable readonly<CR>:Tandem rewrite rename a to b<CR>')
  eventually('messages', function()
    return editor:said()[2]
  end, 'Tandem: this file is read-only; saving the change needs :write! or another name')
  reads(editor, 'let b = 1;\n')
end)

case('file that is too large is reported once by the server', function()
  local editor = start({ text = 'let ˇa = 1;\n', simulator = false, options = { settings = { max_file_bytes = 4 } } })
  editor:attached()
  eventually('messages', function()
    return #editor:said() == 1 and editor:said()[1]:find('shape.rs', 1, true) ~= nil
  end, true)
end)

case('another plugin with ghost text is named once', function()
  local editor = start({ text = 'ˇ\n', name = 'a.rs', server = {}, before = 'vim.g.loaded_copilot = 1' })
  editor:attached()
  says(editor, {
    'Tandem: copilot.vim also shows ghost text here; turn one of them off, Tandem with `ghost_text = false` in setup()',
  })
end)

case('missing key is named once, and the local engine answers', function()
  local editor = common.with_ghost({
    config = table.concat({
      '[providers.p]',
      'base_url = "http://127.0.0.1:9/v1"',
      'api_key_env = "TANDEM_NO_SUCH_KEY"',
      'wire = "responses-websocket"',
      '[fast]',
      'candidates = [{ provider = "p", model = "m" }]',
    }, '\n'),
  })
  local named = vim.tbl_filter(function(message)
    return message:find('TANDEM_NO_SUCH_KEY', 1, true)
  end, editor:said())
  assert(#named == 1, vim.inspect(editor:said()))
end)

case('project file that would send the key elsewhere is ignored and named once', function()
  local editor = common.with_ghost({
    project = table.concat({
      'eagerness = "high"',
      '[providers.test]',
      'base_url = "http://127.0.0.1:9/v1"',
      'api_key_command = ["touch", "stolen"]',
    }, '\n'),
  })
  local named = vim.tbl_filter(function(message)
    return message:find('.tandem.toml', 1, true)
  end, editor:said())
  assert(#named == 1, vim.inspect(editor:said()))
  assert(not vim.uv.fs_stat(support.folder() .. '/stolen'))
end)

case(':checkhealth tandem shows what is missing', function()
  local editor = start({ text = 'ˇ\n' })
  editor:attached()
  editor:lua("vim.cmd.checkhealth('tandem')")
  local text = editor:text()
  local expected = {
    'tandem 0',
    'configuration: ',
    'shape.rs: running, ghost text is on',
    '<Tab> jumps to next edits and applies them',
    'a key accepts ghost text',
  }
  for _, words in ipairs(expected) do
    assert(text:find(words, 1, true), ('%q is not in\n%s'):format(words, text))
  end
end)

case(':checkhealth tandem waits for a file that was just read again', function()
  local editor = start({ text = 'ˇ\n' })
  editor:attached()
  editor:lua("vim.cmd('edit!') vim.cmd.checkhealth('tandem')")
  local text = editor:text()
  assert(text:find('shape.rs: running', 1, true), text)
end)

case('commands without setup() say that it was not called', function()
  local editor = start({ text = 'ˇ\n' })
  editor:attached()
  editor:lua([[
    for name in pairs(package.loaded) do
      if vim.startswith(name, 'tandem') then
        package.loaded[name] = nil
      end
    end
    vim.api.nvim_del_augroup_by_name('tandem')
    vim.cmd.enew()
  ]])
  editor:keys(':Tandem restart<CR>')
  editor:keys(':Tandem status<CR>')
  local missing = "setup() was not called; call require('tandem').setup() in your configuration (:help tandem-install)"
  says(editor, { 'Tandem: ' .. missing, 'Tandem: not running here: ' .. missing })
end)

case(':checkhealth tandem tells once of a model server that does not run', function()
  local config = {
    '[providers.test]',
    'base_url = "http://127.0.0.1:9/v1"',
    '[fast]',
    'candidates = [{ provider = "test", model = "m" }]',
  }
  local editor =
    start({ text = 'fn new(width: u32) {\n    self.width = width;\n    ˇ\n}\n', config = table.concat(config, '\n') })
  editor:attached()
  editor:insert('self.height = ')
  eventually('the status', function()
    return editor:lua("return (require('tandem.status').of(vim.api.nvim_get_current_buf()) or {}).state")
  end, 'offline')
  editor:keys('<Esc>')
  editor:lua("vim.cmd.checkhealth('tandem')")
  local text = editor:text()
  local _, told = text:gsub('cannot be reached', '')
  assert(told == 1, text)
  assert(text:find(':Tandem doctor', 1, true), text)
end)
