--- The files that an edit changes, and an edit of some of them. Uses no buffers.

local M = {}

--- What an edit does with one file.
--- @class tandem.FileChange
--- @field uris string[] Where it is, and where it goes
--- @field operations table[] In the order in which they are made

--- @param operation table Of `documentChanges`
--- @return string[] uris
local function uris_of(operation)
  if operation.kind == 'rename' then
    return { operation.oldUri, operation.newUri }
  end
  return { operation.uri or operation.textDocument.uri }
end

--- @param edit lsp.WorkspaceEdit
--- @return tandem.FileChange[] In the order of the edit
function M.files(edit)
  local operations = edit.documentChanges
  if not operations then
    operations = {}
    for uri, edits in pairs(edit.changes or {}) do
      table.insert(operations, { textDocument = { uri = uri }, edits = edits })
    end
    table.sort(operations, function(a, b)
      return a.textDocument.uri < b.textDocument.uri
    end)
  end
  local files, by_uri = {}, {}
  for _, operation in ipairs(operations) do
    local uris = uris_of(operation)
    local file = by_uri[uris[1]]
    if not file then
      file = { uris = {}, operations = {} }
      table.insert(files, file)
    end
    table.insert(file.operations, operation)
    for _, uri in ipairs(uris) do
      by_uri[uri] = file
      if not vim.list_contains(file.uris, uri) then
        table.insert(file.uris, uri)
      end
    end
  end
  return files
end

--- The edit of some files. The user has chosen them, so that no annotation asks for a confirmation.
--- @param files tandem.FileChange[]
--- @return lsp.WorkspaceEdit
function M.edit(files)
  local operations = {}
  for _, file in ipairs(files) do
    local is_new = false
    for _, operation in ipairs(vim.deepcopy(file.operations)) do
      operation.annotationId = nil
      is_new = is_new or operation.kind == 'create'
      for _, text_edit in ipairs(operation.edits or {}) do
        text_edit.annotationId = nil
        if is_new then
          -- A new buffer has an empty line already, whose end is the text's.
          text_edit.newText = text_edit.newText:gsub('\r?\n$', '')
        end
      end
      table.insert(operations, operation)
    end
  end
  return { documentChanges = operations }
end

return M
