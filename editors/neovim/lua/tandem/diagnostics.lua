--- Other servers' diagnostics, for a server that mends them.
---
--- Neovim shows each server its own diagnostics only. Ours has none, so it is told everybody's: as they change, and
--- again with every request for code actions, so that `gra` lists a fix for what is under the cursor.

local lsp = require('tandem.lsp')

local M = {}

--- How long diagnostics must rest before they are sent, in ms. Some servers send them in pieces.
local REST = 100

--- What the server was told last, by buffer.
--- @type table<integer, table?>
local told = {}
--- @type table<integer, true> The buffers that wait
local waiting = {}

--- A diagnostic as its server sent it; one that was not made by a server is put in the same shape.
--- @param diagnostic vim.Diagnostic
--- @param bufnr integer
--- @param encoding string
--- @return lsp.Diagnostic
local function to_lsp(diagnostic, bufnr, encoding)
  local function position(row, byte)
    local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
    return { line = row, character = lsp.to_column(line, encoding, math.min(byte, #line)) }
  end
  local original = vim.tbl_get(diagnostic, 'user_data', 'lsp') or {}
  return {
    range = {
      start = position(diagnostic.lnum, diagnostic.col),
      ['end'] = position(diagnostic.end_lnum or diagnostic.lnum, diagnostic.end_col or diagnostic.col),
    },
    severity = diagnostic.severity,
    message = diagnostic.message,
    source = diagnostic.source,
    code = diagnostic.code,
    tags = original.tags,
    relatedInformation = original.relatedInformation,
  }
end

--- Everybody's diagnostics but our own server's.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @return lsp.Diagnostic[]
local function collect(client, bufnr)
  local own = vim.lsp.diagnostic.get_namespace(client.id)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    if diagnostic.namespace ~= own then
      table.insert(found, to_lsp(diagnostic, bufnr, lsp.encoding(client)))
    end
  end
  return found
end

--- @param bufnr integer
local function tell(bufnr)
  local client = lsp.client(bufnr)
  if not client or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local now = { client = client.id, diagnostics = collect(client, bufnr) }
  local before = told[bufnr] or { client = client.id, diagnostics = {} }
  if vim.deep_equal(now, before) then
    return
  end
  told[bufnr] = now
  local document = lsp.document(bufnr)
  local params = { uri = document.uri, version = document.version, diagnostics = now.diagnostics }
  lsp.notify(client, 'tandem/diagnostics', params)
end

--- @param bufnr integer
local function tell_soon(bufnr)
  if waiting[bufnr] or not lsp.client(bufnr) then
    return
  end
  waiting[bufnr] = true
  vim.defer_fn(function()
    waiting[bufnr] = nil
    tell(bufnr)
  end, REST)
end

--- @param a lsp.Range
--- @param b lsp.Range
local function touch(a, b)
  local function before(x, y)
    return x.line < y.line or x.line == y.line and x.character < y.character
  end
  return not before(a['end'], b.start) and not before(b['end'], a.start)
end

--- Puts everybody's diagnostics into a client's requests for code actions.
--- @param client vim.lsp.Client
local function watch(client)
  local request = client.request
  --- @diagnostic disable-next-line: duplicate-set-field
  client.request = function(...)
    local arguments = { ... }
    -- Neovim 0.10 has a function here, later ones a method.
    local at = arguments[1] == client and 2 or 1
    local method, params, bufnr = arguments[at], arguments[at + 1], arguments[at + 3]
    local context = method == 'textDocument/codeAction' and params and params.context
    if context and #(context.diagnostics or {}) == 0 then
      bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr
      context.diagnostics = vim.tbl_filter(function(diagnostic)
        return touch(diagnostic.range, params.range)
      end, collect(client, bufnr))
    end
    return request(...)
  end
end

--- @param group integer The group for autocommands
function M.setup(group)
  local watched = {}
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if not client or client.name ~= 'tandem' then
        return
      end
      if not watched[client.id] then
        watched[client.id] = true
        watch(client)
      end
      tell_soon(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    callback = function(event)
      tell_soon(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'LspDetach', 'BufUnload' }, {
    group = group,
    callback = function(event)
      if event.event == 'BufUnload' or not lsp.client(event.buf) then
        told[event.buf] = nil
      end
    end,
  })
end

return M
