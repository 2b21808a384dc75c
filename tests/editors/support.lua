--- Drives a real Neovim with the plugin in it, which starts the real server, which talks to `tandem simulate`.

local M = {}

local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local tandem = assert(vim.env.TANDEM, 'TANDEM must name the binary')

--- The longest that anything is waited for, in ms. Nothing is slow; the machine may be.
local PATIENCE = 10000

--- The longest that all of it may take, in ms: an editor that waits for a key would be waited for without end.
local LIMIT = 300000

vim.uv.new_timer():start(LIMIT, 0, function()
  io.write(('FAIL  not done after %d s\n0 passed, 1 failed\n'):format(LIMIT / 1000))
  io.flush()
  os.exit(1)
end)

--- Everything that runs for the current case.
local jobs = {}

local function run(cmd, opts)
  local job = vim.fn.jobstart(cmd, opts)
  assert(job > 0, 'cannot start ' .. cmd[1])
  table.insert(jobs, job)
  return job
end

--- A folder for the current case.
local folder

--- Waits until `get` returns what is expected, and fails the case if it never does.
function M.eventually(what, get, expected)
  local got
  local seen = vim.wait(PATIENCE, function()
    got = get()
    return vim.deep_equal(got, expected)
  end, 10)
  if not seen then
    error(('%s\n  expected %s\n  found    %s'):format(what, vim.inspect(expected), vim.inspect(got)), 0)
  end
end

local function content(path)
  local file = io.open(path)
  if not file then
    return ''
  end
  local text = file:read('*a')
  file:close()
  return text
end

--- Starts the simulator.
--- @param args string[]
--- @return string url
local function simulate(args)
  local out = ''
  local cmd = { tandem, 'simulate', '--record', folder .. '/frames' }
  run(vim.list_extend(cmd, args), {
    on_stdout = function(_, data)
      out = out .. table.concat(data, '\n')
    end,
  })
  local url
  vim.wait(PATIENCE, function()
    url = out:match('listening on (%S+)\n')
    return url ~= nil
  end, 10)
  return assert(url, 'the simulator does not listen')
end

M.simulate = simulate

--- How many times a model was asked.
function M.model_requests()
  local _, count = content(folder .. '/frames'):gsub('\n', '\n')
  return count
end

--- What a scripted server heard, oldest first.
--- @param method string
--- @param name? string Of a server beside Tandem's
--- @return table[] params
function M.heard(method, name)
  local found = {}
  for line in content(folder .. '/heard' .. (name or '')):gmatch('[^\n]+') do
    local message = vim.json.decode(line)
    if message.method == method then
      table.insert(found, message.params)
    end
  end
  return found
end

--- The commands that a scripted server was told to execute, each as `name argument`.
--- @return string[]
function M.commands()
  return vim.tbl_map(function(params)
    local argument = params.arguments and params.arguments[1]
    return argument == nil and params.command or params.command .. ' ' .. vim.json.encode(argument)
  end, M.heard('workspace/executeCommand'))
end

--- The current case's folder, which is the editor's.
function M.folder()
  return folder
end

--- The command of a server that follows a script, see server.lua.
--- @param script table
--- @param name? string
--- @return string[]
local function scripted(script, name)
  local path = ('%s/server%s.json'):format(folder, name or '')
  vim.fn.writefile({ vim.json.encode(script) }, path)
  local cmd = { vim.v.progpath, '--headless', '--clean', '-l', here .. '/server.lua' }
  return vim.list_extend(cmd, { path, folder .. '/heard' .. (name or '') })
end

--- @class Editor
local Editor = {}
Editor.__index = Editor

--- Starts an editor on a file.
--- @param opts table `{ text, name, simulator, script, options, before, config, project, server }`, all but the first
---   optional.
---   `text` marks the cursor with `ˇ`; `simulator` are its arguments, or false for no model, and `script` the lines of its
---   script; `options` go to setup(), and `before` is Lua to be run before the file is opened.
---   `config` is a configuration in the place of the simulator's, `project` the project's.
---   `server` is the script of a server to be used in place of ours, see server.lua
---   `screen` is the width and height of a screen to draw on; without it nothing is drawn
--- @return Editor
function M.start(opts)
  local at = assert(opts.text:find('ˇ', 1, true), 'mark the cursor with ˇ')
  local above = opts.text:sub(1, at - 1)
  local row = select(2, above:gsub('\n', '\n')) + 1
  local column = #above:match('[^\n]*$')
  local text = opts.text:gsub('ˇ', '', 1)

  local path = folder .. '/' .. (opts.name or 'shape.rs')
  vim.fn.writefile(vim.split(text, '\n', { plain = true }), path, 'b')
  assert(vim.endswith(text, '\n'), 'the last line has an end, too')
  local config = folder .. '/tandem.toml'
  if opts.simulator ~= false and not opts.server and not opts.config then
    local args = opts.simulator or {}
    if opts.script then
      local script = folder .. '/script'
      vim.fn.writefile(vim.tbl_map(vim.json.encode, opts.script), script)
      args = vim.list_extend({ '--script', script }, args)
    end
    vim.fn.writefile({
      '[providers.test]',
      ('base_url = %q'):format(simulate(args)),
      'wire = "responses-websocket"',
      '[fast]',
      'candidates = [{ provider = "test", model = "m" }]',
    }, config)
  end
  if opts.config then
    vim.fn.writefile(vim.split(opts.config, '\n'), config)
  end
  if opts.project then
    vim.fn.writefile(vim.split(opts.project, '\n'), folder .. '/.tandem.toml')
  end
  local cmd = tandem
  if opts.server then
    cmd = scripted(opts.server)
  end
  local options = vim.tbl_extend('force', { cmd = cmd }, opts.options or {})
  local screen = opts.screen
  local cmd_line = { vim.v.progpath, '--embed', '--clean', '-u', here .. '/init.lua' }
  if not screen then
    table.insert(cmd_line, '--headless')
  end
  local channel = run(cmd_line, {
    rpc = true,
    cwd = folder,
    env = {
      TANDEM_CONFIG = config,
      TANDEM_LOG = 'tandem=debug',
      TANDEM_OPTIONS = vim.json.encode(options),
      TANDEM_PLUGIN = here .. '/../../editors/neovim',
      XDG_STATE_HOME = folder .. '/state',
      XDG_CONFIG_HOME = folder .. '/config',
      XDG_DATA_HOME = folder .. '/data',
      -- The runner's own runtime must not leak into another version's.
      VIM = '',
      VIMRUNTIME = '',
    },
  })
  if screen then
    vim.rpcrequest(channel, 'nvim_ui_attach', screen[1], screen[2], vim.empty_dict())
  end
  local editor = setmetatable({ channel = channel }, Editor)
  if opts.before then
    editor:lua(opts.before)
  end
  vim.rpcrequest(channel, 'nvim_cmd', { cmd = 'edit', args = { path } }, {})
  vim.rpcrequest(channel, 'nvim_win_set_cursor', 0, { row, column })
  return editor
end

--- Runs Lua in the editor.
function Editor:lua(code, ...)
  local result = vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
  if result == vim.NIL then
    return nil
  end
  return result
end

--- Presses keys, as a person does.
function Editor:keys(keys)
  vim.rpcrequest(self.channel, 'nvim_input', keys)
end

--- Begins to insert at the cursor; at the line's end, behind its last letter.
--- @param typed? string What is typed at once
function Editor:insert(typed)
  local line = vim.rpcrequest(self.channel, 'nvim_get_current_line')
  local column = vim.rpcrequest(self.channel, 'nvim_win_get_cursor', 0)[2]
  self:keys((column + 1 >= #line and 'A' or 'i') .. (typed or ''))
end

--- The buffer's text.
function Editor:text()
  return table.concat(vim.rpcrequest(self.channel, 'nvim_buf_get_lines', 0, 0, -1, false), '\n') .. '\n'
end

--- The buffer's text with `ˇ` at the cursor.
function Editor:marked()
  local lines = vim.rpcrequest(self.channel, 'nvim_buf_get_lines', 0, 0, -1, false)
  local row, column = unpack(vim.rpcrequest(self.channel, 'nvim_win_get_cursor', 0))
  lines[row] = lines[row]:sub(1, column) .. 'ˇ' .. lines[row]:sub(column + 1)
  return table.concat(lines, '\n') .. '\n'
end

--- The current line as it is on screen, with ghost text in `⟦…⟧`.
function Editor:shown()
  return self:lua([[
    local row = vim.api.nvim_win_get_cursor(0)[1] - 1
    local line = vim.api.nvim_get_current_line()
    local namespace = vim.api.nvim_get_namespaces()['tandem.ghost']
    local marks = namespace and vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true }) or {}
    marks = vim.tbl_filter(function(mark)
      return mark[4].virt_text and mark[2] == row
    end, marks)
    local function text(chunks)
      return table.concat(vim.tbl_map(function(chunk)
        return chunk[1]
      end, chunks))
    end
    -- From the last to the first, so that columns stay what they are.
    for i = #marks, 1, -1 do
      local column, details = marks[i][3], marks[i][4]
      local ghost = { text(details.virt_text) }
      for _, virtual in ipairs(details.virt_lines or {}) do
        table.insert(ghost, text(virtual))
      end
      local drawn = table.concat(ghost, '\n')
      local behind = details.virt_text_pos == 'overlay' and '' or line:sub(column + 1)
      line = line:sub(1, column) .. (drawn ~= '' and '⟦' .. drawn .. '⟧' or '') .. behind
    end
    return line
  ]])
end

--- What is drawn of a next edit: the buffer's lines with what goes in `⟦-…-⟧` and what comes in `⟦+…+⟧`, whole lines
--- that come as `+ …` below the line that they are below of, the sign as `▸`, and a hint as `{…}`, behind its line or on
--- one of its own.
function Editor:drawn()
  return self:lua([[
    local namespace = vim.api.nvim_get_namespaces()['tandem.next_edit']
    local out = {}
    for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
      local marks = vim.api.nvim_buf_get_extmarks(0, namespace, { row - 1, 0 }, { row - 1, -1 }, { details = true })
      local above, below, sign, hint, pieces = {}, {}, '', '', {}
      for _, mark in ipairs(marks) do
        local details = mark[4]
        for _, virtual in ipairs(details.virt_lines or {}) do
          local added = virtual[2] and '+ ' .. virtual[1][1] .. virtual[2][1]
          table.insert(details.virt_lines_above and above or below, added or '{' .. vim.trim(virtual[1][1]) .. '}')
        end
        if details.sign_text then
          sign = vim.trim(details.sign_text)
        elseif details.virt_text and details.virt_text_pos == 'inline' then
          table.insert(pieces, { mark[3], 1, '⟦+' .. details.virt_text[1][1] .. '+⟧' })
        elseif details.virt_text then
          hint = '{' .. vim.trim(details.virt_text[1][1]) .. '}'
        end
        if details.end_col and details.end_col > mark[3] then
          table.insert(pieces, { mark[3], 2, '⟦-' })
          table.insert(pieces, { details.end_col, 0, '-⟧' })
        end
      end
      table.sort(pieces, function(a, b)
        return a[1] > b[1] or a[1] == b[1] and a[2] > b[2]
      end)
      for _, piece in ipairs(pieces) do
        line = line:sub(1, piece[1]) .. piece[3] .. line:sub(piece[1] + 1)
      end
      vim.list_extend(out, above)
      table.insert(out, sign .. line .. hint)
      vim.list_extend(out, below)
    end
    return table.concat(out, '\n') .. '\n'
  ]])
end

--- The number of the server that answers for the file, once it does.
--- @return integer?
function Editor:client_id()
  return self:lua([[
    local client = vim.lsp.get_clients({ name = 'tandem', bufnr = 0 })[1]
    return client and client.initialized and client.attached_buffers[vim.api.nvim_get_current_buf()] and client.id
  ]])
end

--- Waits until a server answers for the file.
function Editor:attached()
  M.eventually('a server answers for the file', function()
    return self:client_id() ~= nil
  end, true)
end

--- Attaches another server to the buffer, which follows a script.
--- @param name string
--- @param script table
function Editor:beside(name, script)
  self:lua(
    'vim.lsp.start({ name = ..., cmd = select(2, ...), root_dir = vim.fn.getcwd() })',
    name,
    scripted(script, name)
  )
  M.eventually('another server answers for the file', function()
    return self:lua('local it = vim.lsp.get_clients({ name = ..., bufnr = 0 })[1] return it and it.initialized', name)
  end, true)
end

--- The messages that were shown to the user.
function Editor:said()
  return self:lua('return _G.said')
end

--- Whether the server's log has a line with these words.
function M.logged(words)
  return content(folder .. '/state/nvim/lsp.log'):find(words, 1, true) ~= nil
end

local passed, failed = 0, 0

--- One test. It passes if `body` raises no error. The runner's first argument, if any, picks those that hold it.
--- @param name string
--- @param body fun()
function M.case(name, body)
  if _G.arg[1] and not name:find(_G.arg[1], 1, true) then
    return
  end
  folder = vim.uv.fs_realpath(vim.fn.tempname():match('^(.*)/')) .. '/case-' .. (passed + failed)
  vim.fn.mkdir(folder .. '/.git', 'p')
  local ok, message = xpcall(body, function(message)
    return type(message) == 'string' and message:match('\n  expected ') and message or debug.traceback(message, 2)
  end)
  if ok then
    passed = passed + 1
    io.write('ok    ', name, '\n')
  else
    failed = failed + 1
    io.write('FAIL  ', name, '\n', message, '\n', content(folder .. '/state/nvim/lsp.log'):sub(-4000), '\n')
  end
  for _, job in ipairs(jobs) do
    vim.fn.jobstop(job)
  end
  vim.fn.jobwait(jobs, 5000)
  jobs = {}
  local frames = content(folder .. '/frames')
  if vim.env.TANDEM_FRAMES and frames ~= '' then
    local file = assert(io.open(vim.env.TANDEM_FRAMES, 'a'))
    file:write(frames)
    file:close()
  end
end

--- Prints the sum and ends.
function M.finish()
  io.write(('%d passed, %d failed\n'):format(passed, failed))
  io.flush()
  os.exit(failed == 0 and 0 or 1)
end

return M
