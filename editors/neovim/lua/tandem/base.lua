--- The texts that an edit was made for: it is applied to these as a whole, or not at all.
---
--- Neovim checks the version of the first document of an edit alone, and none of a file that is not open.

local changeset = require('tandem.changeset')

local M = {}

--- The lines of each file by its URI, `false` where there is none.
--- @alias tandem.Base table<string, string[]|false>

--- @param uri string
--- @return integer? bufnr nil if the file is not loaded
local function buffer(uri)
  local name = vim.uri_to_fname(uri)
  local bufnr = vim.fn.bufexists(name) == 1 and vim.fn.bufadd(name)
  return bufnr and vim.api.nvim_buf_is_loaded(bufnr) and bufnr or nil
end

--- The lines of a file on disk, as a buffer would have them.
--- @param uri string
--- @return string[]|false
local function on_disk(uri)
  local file = io.open(vim.uri_to_fname(uri), 'rb')
  if not file then
    return false
  end
  local text = (file:read('*a') or ''):gsub('^\239\187\191', '')
  file:close()
  local _, ends = text:gsub('\n', '')
  local unix, crlf = text:gsub('\r\n', '\n')
  text = crlf == ends and unix or text
  return vim.split((text:gsub('\n$', '')), '\n', { plain = true })
end

--- The lines of a file, as the user sees it.
--- @param uri string
--- @return string[]|false
local function lines(uri)
  local bufnr = buffer(uri)
  return bufnr and vim.api.nvim_buf_get_lines(bufnr, 0, -1, false) or on_disk(uri)
end

--- Whether a file has the text that the server knows.
--- @param uri string
--- @param version any The server's; it has none for a file that it read from disk
--- @return boolean
local function is_known(uri, version)
  local bufnr = buffer(uri)
  if type(version) == 'number' then
    return bufnr ~= nil and vim.lsp.util.buf_versions[bufnr] == version
  end
  return not bufnr or vim.deep_equal(lines(uri), on_disk(uri) or { '' })
end

--- @param uri string
--- @return string problem
local function changed(uri)
  return ('%s has changed since'):format(vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.'))
end

--- The texts that an edit was made for, which the server must have just sent.
--- @param edit lsp.WorkspaceEdit
--- @return tandem.Base? base nil if one of the files has another text already
--- @return string? problem
function M.of(edit)
  local base = {}
  for _, file in ipairs(changeset.files(edit)) do
    for _, operation in ipairs(file.operations) do
      local document = operation.textDocument
      -- Without `documentChanges` the version that they were made for is not known.
      if document and edit.documentChanges and not is_known(document.uri, document.version) then
        return nil, changed(document.uri)
      end
    end
    for _, uri in ipairs(file.uris) do
      base[uri] = lines(uri)
    end
  end
  return base
end

--- @param base tandem.Base
--- @param uri string
--- @return boolean
local function is_same(base, uri)
  return vim.deep_equal(lines(uri), base[uri])
end

--- Whether all files still have the texts that an edit was made for.
--- @param base tandem.Base
--- @return boolean
function M.holds(base)
  return vim.iter(vim.tbl_keys(base)):all(function(uri)
    return is_same(base, uri)
  end)
end

--- Why an edit cannot be applied.
--- @param edit lsp.WorkspaceEdit
--- @param base tandem.Base
--- @return string? problem
local function find_problem(edit, base)
  for _, file in ipairs(changeset.files(edit)) do
    for _, uri in ipairs(file.uris) do
      if not is_same(base, uri) then
        return changed(uri)
      end
    end
    for _, operation in ipairs(file.operations) do
      local uri = (operation.textDocument or {}).uri
      if uri and base[uri] then
        local name = vim.uri_to_fname(uri)
        local bufnr = vim.fn.bufadd(name)
        -- A swap file, or a plugin, may be in the way; none of the files is changed yet.
        local is_loaded, why = pcall(vim.fn.bufload, bufnr)
        if not is_loaded then
          return tostring(why)
        elseif not vim.bo[bufnr].modifiable then
          return ('%s cannot be changed (:set modifiable)'):format(vim.fn.fnamemodify(name, ':~:.'))
        elseif not is_same(base, uri) then
          return changed(uri)
        end
      end
    end
  end
end

--- Applies an edit if all of its files have the texts that it was made for.
--- @param edit lsp.WorkspaceEdit
--- @param encoding string
--- @param base tandem.Base May have more files than the edit
--- @return string? problem nil if it was applied
function M.apply(edit, encoding, base)
  local problem = find_problem(edit, base)
  if problem then
    return problem
  end
  edit = vim.deepcopy(edit)
  for _, operation in ipairs(edit.documentChanges or {}) do
    if operation.textDocument then
      -- The texts were compared, which an undo may have brought back; Neovim would go by the version.
      operation.textDocument.version = 0
    end
  end
  require('tandem.undo').record(edit, function()
    vim.lsp.util.apply_workspace_edit(edit, encoding)
  end)
end

return M
