--- Forwards the diagnostics of other servers to Tandem, which offers fixes for them.
---
--- Neovim sends each server only its own diagnostics, and Tandem publishes none. All others are sent to it when they
--- change, and with each request for code actions, so that `gra` lists fixes for the diagnostics under the cursor.

local lsp = require('tandem.lsp')

local M = {}

--- The delay before diagnostics are sent, in ms: some servers publish them in several messages.
local DEBOUNCE_MS = 100

--- The diagnostics sent last, by buffer.
--- @type table<integer, table?>
local sent = {}
--- @type table<integer, true> Buffers with a send scheduled
local pending = {}

--- Converts a diagnostic to LSP, with the fields that only its server knows.
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

--- The diagnostics of a buffer, except those of the client itself.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @return lsp.Diagnostic[]
function M.collect(client, bufnr)
  local own = vim.lsp.diagnostic.get_namespace(client.id)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    if diagnostic.namespace ~= own then
      table.insert(found, to_lsp(diagnostic, bufnr, lsp.encoding(client)))
    end
  end
  return found
end

--- What the quickfix list reports, for instance after `:make`, by buffer.
--- @param client vim.lsp.Client
--- @return table<integer, lsp.Diagnostic[]>
function M.quickfix(client)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.fromqflist(vim.fn.getqflist())) do
    local bufnr = diagnostic.bufnr
    if bufnr and bufnr > 0 then
      vim.fn.bufload(bufnr)
      found[bufnr] = found[bufnr] or {}
      if diagnostic.lnum < vim.api.nvim_buf_line_count(bufnr) then
        table.insert(found[bufnr], to_lsp(diagnostic, bufnr, lsp.encoding(client)))
      end
    end
  end
  return found
end

--- @param bufnr integer
local function send(bufnr)
  local client = lsp.client(bufnr)
  if not client or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local current = { client = client.id, diagnostics = M.collect(client, bufnr) }
  local last = sent[bufnr] or { client = client.id, diagnostics = {} }
  if vim.deep_equal(current, last) then
    return
  end
  sent[bufnr] = current
  local document = lsp.document(bufnr)
  local params = { uri = document.uri, version = document.version, diagnostics = current.diagnostics }
  lsp.notify(client, 'tandem/diagnostics', params)
end

--- @param bufnr integer
local function send_soon(bufnr)
  if pending[bufnr] or not lsp.client(bufnr) then
    return
  end
  pending[bufnr] = true
  vim.defer_fn(function()
    pending[bufnr] = nil
    send(bufnr)
  end, DEBOUNCE_MS)
end

--- @param a lsp.Range
--- @param b lsp.Range
local function overlap(a, b)
  local function before(x, y)
    return x.line < y.line or x.line == y.line and x.character < y.character
  end
  return not before(a['end'], b.start) and not before(b['end'], a.start)
end

--- Adds the diagnostics of other servers to a client's requests for code actions.
--- @param client vim.lsp.Client
local function wrap_code_action_requests(client)
  local request = client.request
  --- @diagnostic disable-next-line: duplicate-set-field
  client.request = function(...)
    local arguments = { ... }
    -- A function in Neovim 0.10, a method in later versions.
    local at = arguments[1] == client and 2 or 1
    local method, params, bufnr = arguments[at], arguments[at + 1], arguments[at + 3]
    local context = method == 'textDocument/codeAction' and params and params.context
    if context and #(context.diagnostics or {}) == 0 then
      bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr
      context.diagnostics = vim.tbl_filter(function(diagnostic)
        return overlap(diagnostic.range, params.range)
      end, M.collect(client, bufnr))
    end
    return request(...)
  end
end

--- @param group integer The group for autocommands
function M.setup(group)
  local wrapped = {}
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if not client or client.name ~= 'tandem' then
        return
      end
      if not wrapped[client.id] then
        wrapped[client.id] = true
        wrap_code_action_requests(client)
      end
      send_soon(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    callback = function(event)
      send_soon(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'LspDetach', 'BufUnload' }, {
    group = group,
    callback = function(event)
      if event.event == 'BufUnload' or not lsp.client(event.buf) then
        sent[event.buf] = nil
      end
    end,
  })
end

return M
