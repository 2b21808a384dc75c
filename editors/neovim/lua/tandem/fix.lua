--- The certain fixes of a buffer, on request and before it is written. No model takes part.

local base = require('tandem.base')
local changeset = require('tandem.changeset')
local edit_text = require('tandem.edit_text')
local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local options = require('tandem.options')

local M = {}

--- How long a write waits for the fixes, in ms.
local ON_SAVE_MS = 300
--- How long the command waits, in ms.
local ON_REQUEST_MS = 2000
--- How long a file of the quickfix list may take to be attached, in ms.
local ATTACH_MS = 1000

local KIND = 'source.fixAll.tandem'
local INVOKED, AUTOMATIC = 1, 2

--- The number of fixes in a code action's title.
--- @param title string
--- @return string
local function count(title)
  return title:match('%d+ certain fix%a*') or 'the fixes'
end

--- Applies all certain fixes of a buffer. Blocks until the server has answered, or the time is over.
--- @param bufnr integer
--- @param timeout integer In ms
--- @param kind integer A `CodeActionTriggerKind`: what is invoked gets all fixes, however long they take
--- @param more? lsp.Diagnostic[] What is known of the buffer beside its diagnostics
--- @return string? problem
--- @return string? done How many fixes were made; nil if nothing is certain
--- @return string? what What they do to the text
local function apply(bufnr, timeout, kind, more)
  local client = lsp.client(bufnr)
  if not client then
    return 'the server does not follow this file (:checkhealth tandem)'
  end
  local encoding = lsp.encoding(client)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    range = {
      start = { line = 0, character = 0 },
      ['end'] = { line = vim.api.nvim_buf_line_count(bufnr), character = 0 },
    },
    context = {
      diagnostics = vim.list_extend(require('tandem.diagnostics').collect(client, bufnr), more or {}),
      only = { KIND },
      triggerKind = kind,
    },
  }
  local answer, problem = lsp.call(client, 'request_sync', 'textDocument/codeAction', params, timeout, bufnr)
  if not answer or answer.err then
    return problem or answer and answer.err.message or 'no answer'
  end
  local action = (answer.result or {})[1]
  if not action or not action.edit then
    return nil, nil
  end
  local texts, outdated = base.of(action.edit)
  local edits = {}
  for _, file in ipairs(changeset.files(action.edit)) do
    for _, operation in ipairs(file.operations) do
      vim.list_extend(edits, operation.edits or {})
    end
  end
  local what = not outdated and edit_text.of(bufnr, edits, encoding) or nil
  problem = outdated or base.apply(action.edit, encoding, texts --[[@as tandem.Base]])
  local done = not problem and count(action.title) or nil
  return problem, done, done and what
end

--- Applies all certain fixes of a buffer, and reports them.
--- @param bufnr integer
function M.fix(bufnr)
  local problem, done, what = apply(bufnr, ON_REQUEST_MS, INVOKED)
  if problem then
    notify.warn(problem)
  elseif done then
    notify.show(what and ('%s (u undoes)'):format(what) or ('made %s'):format(done))
  else
    notify.show('no error here has exactly one fix')
  end
end

--- Applies all certain fixes of what the quickfix list reports, in all of its files. Nothing is written.
function M.fix_quickfix()
  local client = lsp.client(vim.api.nvim_get_current_buf())
  if not client then
    return notify.warn('the server does not follow this file (:checkhealth tandem)')
  end
  local lines = {}
  for bufnr, reported in pairs(require('tandem.diagnostics').quickfix(client)) do
    -- A file that is opened for this is attached soon.
    vim.wait(ATTACH_MS, function()
      return lsp.client(bufnr) ~= nil
    end, 10)
    local problem, done = apply(bufnr, ON_REQUEST_MS, INVOKED, reported)
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':.')
    if problem then
      notify.warn(('%s: %s'):format(name, problem))
    elseif done then
      table.insert(lines, ('%s in %s'):format(done, name))
    end
  end
  table.sort(lines)
  notify.show(#lines > 0 and 'made ' .. table.concat(lines, ', ') or 'no error here has exactly one fix')
end

--- @param group integer The group for autocommands
function M.setup(group)
  if not options.current.fix_on_save then
    return
  end
  --- What was fixed in each buffer that is being written.
  --- @type table<integer, string?>
  local fixed = {}
  vim.api.nvim_create_autocmd('BufWritePre', {
    group = group,
    desc = 'Apply the certain fixes of Tandem',
    callback = function(event)
      if vim.bo[event.buf].modifiable and lsp.client(event.buf) then
        -- A write never fails for want of a fix.
        local _, done, what = apply(event.buf, ON_SAVE_MS, AUTOMATIC)
        fixed[event.buf] = what or done and ('made %s'):format(done)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = group,
    desc = 'Say what Tandem has fixed',
    callback = function(event)
      local what = fixed[event.buf]
      fixed[event.buf] = nil
      if what then
        -- Behind the editor's own message about the file.
        vim.schedule(function()
          notify.show(('%s (u undoes)'):format(what))
        end)
      end
    end,
  })
end

return M
