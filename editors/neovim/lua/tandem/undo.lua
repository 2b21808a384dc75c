--- `:Tandem undo`: takes back the last edit that changed several files at once.

local notify = require('tandem.notify')

local M = {}

--- A buffer that the edit changed, with the numbers of its text in the undo tree.
--- @class tandem.UndoStep
--- @field bufnr integer
--- @field before integer
--- @field after integer

--- @type tandem.UndoStep[]
local steps = {}

--- Whether the edit also created, renamed or deleted files.
local has_operations = false

--- @param bufnr integer
--- @return integer
local function number(bufnr)
  return vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.undotree().seq_cur
  end)
end

--- Applies an edit, and remembers the way back if it changes several files.
--- @param edit lsp.WorkspaceEdit Its files are loaded
--- @param apply fun()
function M.record(edit, apply)
  local before, operations = {}, false
  for _, operation in ipairs(edit.documentChanges or {}) do
    operations = operations or operation.kind ~= nil
    if operation.textDocument then
      local bufnr = vim.uri_to_bufnr(operation.textDocument.uri)
      before[bufnr] = before[bufnr] or vim.api.nvim_buf_is_loaded(bufnr) and number(bufnr) or 0
    end
  end
  apply()
  if vim.tbl_count(before) < 2 then
    return
  end
  steps, has_operations = {}, operations
  for bufnr, seq in pairs(before) do
    table.insert(steps, { bufnr = bufnr, before = seq, after = number(bufnr) })
  end
end

--- Takes the last such edit back in all of its files, or in none.
function M.run()
  if #steps == 0 then
    return notify.echo('no edit of several files to undo; u undoes in one file')
  end
  for _, step in ipairs(steps) do
    if not vim.api.nvim_buf_is_loaded(step.bufnr) or number(step.bufnr) ~= step.after then
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(step.bufnr), ':~:.')
      return notify.warn(('%s was changed or closed since, so nothing was undone; u undoes in one file'):format(name))
    end
  end
  for _, step in ipairs(steps) do
    vim.api.nvim_buf_call(step.bufnr, function()
      vim.cmd(('silent undo %d'):format(step.before))
    end)
  end
  local rest = has_operations and '; files that were created, renamed or deleted stay so' or ''
  notify.echo(('undone in %d files%s; :wall saves that'):format(#steps, rest))
  steps = {}
end

return M
