--- A rename made by the language's own server, which knows what a name means. See editors/protocol.md, "Renames".

local lsp = require('tandem.lsp')
local options = require('tandem.options')

local M = {}

--- What the user renamed where it is declared.
--- @class tandem.Rename
--- @field from string
--- @field to string
--- @field range lsp.Range Where the new name is declared
--- @field textDocument {uri: string, version: integer}

--- Another server of a buffer that can rename.
--- @param bufnr integer
--- @return vim.lsp.Client?
local function renamer(bufnr)
  if options.current.rename_timeout <= 0 then
    return nil
  end
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr, method = 'textDocument/rename' })) do
    if client.name ~= 'tandem' then
      return client
    end
  end
end

--- Whether another server of the file of a rename may make it.
--- @param rename tandem.Rename
--- @return boolean
function M.is_possible(rename)
  local bufnr = vim.uri_to_bufnr(rename.textDocument.uri)
  return vim.api.nvim_buf_is_loaded(bufnr) and renamer(bufnr) ~= nil
end

--- The changes of each file in an edit. Files that are created, renamed or deleted have none.
--- @param edit lsp.WorkspaceEdit
--- @return {uri: string, version?: integer, edits: lsp.TextEdit[]}[]
local function changes(edit)
  local found = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.textDocument then
      local version = change.textDocument.version
      version = type(version) == 'number' and version or nil
      table.insert(found, { uri = change.textDocument.uri, version = version, edits = change.edits })
    end
  end
  for uri, edits in pairs(not edit.documentChanges and edit.changes or {}) do
    table.insert(found, { uri = uri, edits = edits })
  end
  return found
end

--- Whether an edit changes a line of a file, and is for the text that every file has now.
--- @param edit lsp.WorkspaceEdit
--- @param uri string
--- @param row integer
local function fits(edit, uri, row)
  local has_row = false
  for _, change in ipairs(changes(edit)) do
    local now = vim.lsp.util.buf_versions[vim.uri_to_bufnr(change.uri)]
    if change.version and now and change.version < now then
      return false
    end
    for _, it in ipairs(change.edits) do
      has_row = has_row or (change.uri == uri and it.range.start.line <= row and it.range['end'].line >= row)
    end
  end
  return has_row
end

--- Asks for a rename, and waits for the answer until the user types.
--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param params table
--- @return lsp.WorkspaceEdit? edit
--- @return boolean is_stopped Whether the user typed
local function ask(client, bufnr, params)
  local answer
  local request = lsp.request(client, 'textDocument/rename', params, bufnr, function(err, result)
    answer = { edit = not err and type(result) == 'table' and result or nil }
  end)
  local is_stopped = false
  if request then
    vim.wait(options.current.rename_timeout, function()
      -- Keys are kept until this is over.
      is_stopped = answer == nil and vim.fn.getchar(1) ~= 0
      return answer ~= nil or is_stopped
    end, 5)
    if not answer then
      lsp.cancel(client, request)
    end
  end
  return answer and answer.edit, is_stopped
end

--- The number of the last change that a buffer's text has.
--- @param bufnr integer
--- @return integer
local function change_number(bufnr)
  return vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.undotree().seq_cur
  end)
end

--- Has the language's own server rename. The buffer is as it was unless that has.
--- @param rename tandem.Rename
--- @param encoding string Of `rename`
--- @return 'renamed'|'stopped'|nil outcome nil if there is no such server, or it has failed
--- @return string? done What was done
function M.run(rename, encoding)
  local uri = rename.textDocument.uri
  local bufnr = vim.uri_to_bufnr(uri)
  local client = vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].modifiable and renamer(bufnr)
  local row = rename.range.start.line
  local line = client and vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  local from = lsp.to_byte(line, encoding, rename.range.start.character)
  local to = lsp.to_byte(line, encoding, rename.range['end'].character)
  if not client or line:sub(from + 1, to) ~= rename.to then
    return nil
  end
  local cursors = {}
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local cursor = vim.api.nvim_win_get_cursor(window)
    cursors[window] = cursor[1] == row + 1 and cursor or nil
  end
  local before = change_number(bufnr)
  -- The server is to see a program in which the uses have a declaration.
  vim.api.nvim_buf_set_text(bufnr, row, from, row, to, { rename.from })
  local changed = change_number(bufnr)
  local edit, is_stopped = ask(client, bufnr, {
    textDocument = { uri = uri },
    position = { line = row, character = lsp.to_column(line, lsp.encoding(client), from) },
    newName = rename.to,
  })
  local fitting = edit and fits(edit, uri, row) and edit
  vim.api.nvim_buf_call(bufnr, function()
    if not fitting and changed ~= before then
      -- No trace is left in what can be undone.
      vim.cmd(('silent undo %d'):format(before))
      return
    end
    vim.cmd.undojoin()
    if fitting then
      vim.lsp.util.apply_workspace_edit(fitting, lsp.encoding(client))
    else
      vim.api.nvim_buf_set_text(bufnr, row, from, row, from + #rename.from, { rename.to })
    end
  end)
  if vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] == line then
    for window, cursor in pairs(cursors) do
      vim.api.nvim_win_set_cursor(window, cursor)
    end
  end
  if not fitting then
    return is_stopped and 'stopped' or nil
  end
  local files = {}
  for _, change in ipairs(changes(fitting)) do
    files[change.uri] = #change.edits > 0 or nil
  end
  local count = vim.tbl_count(files)
  local where = count == 1 and '1 file' or count .. ' files'
  return 'renamed', ('renamed `%s` to `%s` in %s through %s'):format(rename.from, rename.to, where, client.name)
end

return M
