--- Edits that were made before the server knew their file, such as while it started.
---
--- A buffer with such edits is opened with the text on disk, which a change then makes the text of the buffer. So the
--- server sees the edit as if it had been there.

local lsp = require('tandem.lsp')

local M = {}

--- The largest file that is read for it, in bytes.
local MAX_BYTES = 1000000

--- The buffers that were opened before: what is unsaved in them when a server is restarted may be old.
--- @type table<integer, true>
local known = {}

--- The saved text of a buffer that has unsaved changes.
--- @param bufnr integer
--- @return string? text nil also if it is not simply what is in the file
local function saved(bufnr)
  local buffer, name = vim.bo[bufnr], vim.api.nvim_buf_get_name(bufnr)
  local stat = buffer.modified and vim.uv.fs_stat(name)
  if not stat or stat.type ~= 'file' or stat.size > MAX_BYTES then
    return nil
  end
  if buffer.bomb or not vim.list_contains({ '', 'utf-8' }, buffer.fileencoding) then
    return nil
  end
  local file = io.open(name, 'rb')
  local text = file and file:read('*a')
  if file then
    file:close()
  end
  return text
end

--- Has a client report the edits that were made before it opened their file.
--- @param client vim.lsp.Client
function M.report(client)
  lsp.wrap(client, 'notify', function(notify, method, params)
    local opened = method == 'textDocument/didOpen' and params.textDocument
    local bufnr = opened and vim.uri_to_bufnr(opened.uri)
    local text = bufnr and not known[bufnr] and saved(bufnr)
    if bufnr then
      known[bufnr] = true
    end
    if not text or text == opened.text then
      return notify(method, params)
    end
    local before = vim.tbl_extend('force', opened, { text = text, version = opened.version - 1 })
    notify(method, { textDocument = before })
    return notify('textDocument/didChange', {
      textDocument = { uri = opened.uri, version = opened.version },
      contentChanges = { { text = opened.text } },
    })
  end)
end

return M
