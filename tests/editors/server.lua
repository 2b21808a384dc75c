-- A language server that says what a test tells it to:   nvim --headless --clean -l server.lua SCRIPT HEARD
--
-- SCRIPT is a JSON object:
--   info      `serverInfo` of the initialize result
--   can       its capabilities in the place of Tandem's
--   exit      the method whose arrival ends it, with status 3
--   replies   by method, what the requests are answered in turn: `{ result, error, after, notify }`, `after` in ms.
--             Behind the last one, and where there is none, the answer is nothing in the shape of the method.
--   notify    by method, notifications sent behind every answer, as `notify` of a reply behind that one:
--             `{ method, params }`; without `params`, the request's document
-- Every message that arrives is a line of JSON in HEARD.

local path, heard_path = _G.arg[1], _G.arg[2]

local function read(name)
  local file = assert(io.open(name))
  local text = file:read('*a')
  file:close()
  return text
end

local script = vim.json.decode(read(path))
local heard = assert(io.open(heard_path, 'a'))

local nothing = {
  initialize = {
    serverInfo = script.info or { name = 'tandem', version = '0.1.0' },
    capabilities = script.can or {
      positionEncoding = 'utf-16',
      textDocumentSync = { openClose = true, change = 2 },
      inlineCompletionProvider = true,
      codeActionProvider = { codeActionKinds = { 'quickfix' }, resolveProvider = true },
      executeCommandProvider = { commands = { 'tandem.accept' } },
    },
  },
  ['textDocument/inlineCompletion'] = {},
  ['textDocument/codeAction'] = {},
  ['tandem/nextEdit'] = { edits = {} },
}

local out = assert(vim.uv.new_pipe())
out:open(1)

local function send(message)
  message.jsonrpc = '2.0'
  local body = vim.json.encode(message)
  out:write(('Content-Length: %d\r\n\r\n%s'):format(#body, body))
end

local function answer(message)
  local reply = table.remove((script.replies or {})[message.method] or {}, 1)
  local function now()
    if reply and reply.error then
      send({ id = message.id, error = reply.error })
    else
      local result = nothing[message.method]
      if reply then
        result = reply.result
      end
      send({ id = message.id, result = result == nil and vim.NIL or result })
    end
    for _, notifications in ipairs({ (script.notify or {})[message.method] or {}, reply and reply.notify or {} }) do
      for _, notification in ipairs(notifications) do
        local params = notification.params or { textDocument = message.params.textDocument }
        send({ method = notification.method, params = params })
      end
    end
  end
  if reply and reply.after then
    vim.defer_fn(now, reply.after)
  else
    now()
  end
end

local function take(body)
  heard:write(body, '\n')
  heard:flush()
  local message = vim.json.decode(body)
  if message.method == script.exit then
    os.exit(3)
  elseif message.method == 'exit' then
    os.exit(0)
  elseif message.method and message.id ~= nil then
    answer(message)
  end
end

local input, buffer = assert(vim.uv.new_pipe()), ''
input:open(0)
input:read_start(function(_, data)
  if not data then
    os.exit(0)
  end
  buffer = buffer .. data
  while true do
    local length, start = buffer:match('Content%-Length: (%d+)\r\n.-\r\n()')
    if not length or #buffer < start + length - 1 then
      return
    end
    take(buffer:sub(start, start + length - 1))
    buffer = buffer:sub(start + length)
  end
end)
vim.wait(2 ^ 30, function()
  return false
end, 1000)
