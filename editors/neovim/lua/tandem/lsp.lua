--- Neovim's language client: differences between versions, and requests shared by the modules.

local base = require('tandem.base')

local M = {}

local methods = vim.fn.has('nvim-0.11') == 1

--- Calls a method of a client; Neovim 0.10 has them as plain functions.
--- @param client vim.lsp.Client
--- @param method string
function M.call(client, method, ...)
  if methods then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- The running clients.
--- @param bufnr? integer Only those attached to this buffer
--- @return vim.lsp.Client[]
function M.clients(bufnr)
  return vim.lsp.get_clients({ name = 'tandem', bufnr = bufnr })
end

--- The client of a buffer.
--- @param bufnr integer
--- @return vim.lsp.Client?
function M.client(bufnr)
  return M.clients(bufnr)[1]
end

--- Sends a request, after pending changes of the text.
--- @param client vim.lsp.Client
--- @param method string
--- @param params table
--- @param bufnr integer
--- @param handler fun(err?: lsp.ResponseError, result: any)
--- @return integer? request Its id, nil if the server has stopped
function M.request(client, method, params, bufnr, handler)
  local sent, request = M.call(client, 'request', method, params, handler, bufnr)
  return sent and request or nil
end

--- Cancels a request.
--- @param client vim.lsp.Client
--- @param request integer
function M.cancel(client, request)
  M.call(client, 'cancel_request', request)
end

--- @param client vim.lsp.Client
--- @param method string
--- @param params table
function M.notify(client, method, params)
  M.call(client, 'notify', method, params)
end

--- Executes a command of the server.
--- @param client vim.lsp.Client
--- @param command string
--- @param argument any Its one argument, nil for none
--- @param bufnr integer
--- @param handler? fun(err?: lsp.ResponseError, result: any)
--- @return integer? request Its id, nil if the server has stopped
function M.execute(client, command, argument, bufnr, handler)
  local params = { command = command, arguments = argument ~= nil and { argument } or nil }
  return M.request(client, 'workspace/executeCommand', params, bufnr, handler or function() end)
end

--- Replaces a method of a client, also where Neovim itself calls it.
--- @param client vim.lsp.Client
--- @param name string
--- @param method function It gets the replaced one and the arguments
function M.wrap(client, name, method)
  local replaced = client[name]
  if methods then
    client[name] = function(self, ...)
      return method(function(...)
        return replaced(self, ...)
      end, ...)
    end
  else
    client[name] = function(...)
      return method(replaced, ...)
    end
  end
end

--- Passes failures of code actions to `failed`. Neovim's own message begins with the number of the error, and an edit
--- of another text than the buffer has is applied by it.
--- @param client vim.lsp.Client
--- @param failed fun(message: string)
function M.tell_failed_actions(client, failed)
  M.wrap(client, 'request', function(request, method, params, handler, bufnr)
    if method ~= 'codeAction/resolve' or not handler then
      return request(method, params, handler, bufnr)
    end
    return request(method, params, function(err, action, ...)
      local problem = err and err.message
      if action and action.edit and not problem then
        local _, outdated = base.of(action.edit)
        problem = outdated and ('Tandem: %s; repeat the action'):format(outdated)
      end
      if not problem then
        return handler(err, action, ...)
      end
      failed(problem)
      -- The action without an edit: nothing is applied.
      return handler(nil, params, ...)
    end, bufnr)
  end)
end

--- The versioned identifier of a buffer.
--- @param bufnr integer
--- @return {uri: string, version: integer}
function M.document(bufnr)
  return { uri = vim.uri_from_bufnr(bufnr), version = vim.lsp.util.buf_versions[bufnr] }
end

--- The negotiated position encoding.
--- @param client vim.lsp.Client
--- @return 'utf-8'|'utf-16'|'utf-32'
function M.encoding(client)
  return client.offset_encoding or 'utf-16'
end

--- The bytes of a line before a column. Columns after the end count as the end.
--- @param line string
--- @param encoding string
--- @param column integer
--- @return integer
function M.to_byte(line, encoding, column)
  if encoding == 'utf-8' then
    return math.min(column, #line)
  end
  if methods then
    return vim.str_byteindex(line, encoding, column, false)
  end
  local ok, byte = pcall(vim.str_byteindex, line, column, encoding == 'utf-16')
  return ok and byte or #line
end

--- The column of a byte in a line.
--- @param line string
--- @param encoding string
--- @param byte integer
--- @return integer
function M.to_column(line, encoding, byte)
  if encoding == 'utf-8' then
    return byte
  end
  if methods then
    return vim.str_utfindex(line, encoding, byte, false)
  end
  local utf32, utf16 = vim.str_utfindex(line, math.min(byte, #line))
  return encoding == 'utf-16' and utf16 or utf32
end

--- The length of a text in UTF-16 units, as in `acceptedLength`.
--- @param text string
--- @return integer
function M.utf16_length(text)
  return M.to_column(text, 'utf-16', #text)
end

--- The cursor of the current window as an LSP position.
--- @param client vim.lsp.Client
--- @return lsp.Position
function M.position(client)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  return { line = row - 1, character = M.to_column(line, M.encoding(client), column) }
end

--- Whether a client is still attached to a buffer.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @return boolean
function M.is_attached(client, bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr) and vim.lsp.buf_is_attached(bufnr, client.id)
end

return M
