--- Changes across many files: a plan to edit, then one diff to apply.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local server = require('tandem.server')
local window = require('tandem.window')

local M = {}

--- What stands above a plan. The server passes over lines behind `>`.
local NOTE = '> Change, add or delete steps. :w carries the plan out, :bd! forgets it.'

--- The request without an answer yet.
--- @type {client: vim.lsp.Client, request: integer?}?
local pending

--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param argument table
--- @param on_result fun(result: table)
local function execute(client, bufnr, argument, on_result)
  local sent = { client = client }
  pending = sent
  sent.request = lsp.execute(client, 'tandem.plan', argument, bufnr, function(err, result)
    if pending == sent then
      pending = nil
    end
    if err then
      vim.notify(err.message, vim.log.levels.WARN)
    else
      on_result(result)
    end
  end)
end

--- The lines above the diff: what is known of it.
--- @param result table The answer to `tandem.plan`
--- @return string[]
local function remarks(result)
  local lines = {}
  if type(result.reason) == 'string' then
    table.insert(lines, result.reason)
  end
  for _, step in ipairs(result.steps or {}) do
    if type(step.why) == 'string' then
      table.insert(lines, ('step %d, %s: %s'):format(step.number, step.path, step.why))
    end
  end
  vim.list_extend(lines, result.notes or {})
  return vim.list_extend(lines, result.findings or {})
end

--- Shows what a plan comes to, with a key to apply it.
--- @param client vim.lsp.Client
--- @param result table
local function preview(client, result)
  if result.status == 'unchanged' then
    return notify.echo('nothing is to be changed')
  end
  local shown = remarks(result)
  local title = result.edit and 'a: apply to all files, q: discard.' or 'Nothing is changed. q: close.'
  table.insert(shown, 1, title)
  vim.list_extend(shown, vim.split(result.diff or '', '\n', { plain = true, trimempty = true }))
  local bufnr = window.open('plan-diff', shown, 'diff')
  if not result.edit then
    return
  end
  vim.keymap.set('n', 'a', function()
    vim.api.nvim_buf_delete(bufnr, { force = true })
    -- Buffers that changed since are refused by their version.
    vim.lsp.util.apply_workspace_edit(result.edit, lsp.encoding(client))
    notify.echo('applied; :wall writes the files')
  end, { buffer = bufnr, nowait = true, desc = 'Apply these changes' })
end

--- Shows a plan in a buffer that carries it out when it is written.
--- @param client vim.lsp.Client
--- @param about integer The buffer that the request was about
--- @param text string
local function show(client, about, text)
  local lines = vim.split(text, '\n', { plain = true, trimempty = true })
  local bufnr = window.open('plan', vim.list_extend({ NOTE, '' }, lines), 'markdown')
  vim.bo[bufnr].modifiable = true
  vim.bo[bufnr].buftype = 'acwrite'
  vim.bo[bufnr].modified = false
  vim.keymap.del('n', 'q', { buffer = bufnr })
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    desc = 'Carry the plan out',
    callback = function()
      local plan = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
      vim.bo[bufnr].modified = false
      notify.echo('the plan is carried out …')
      execute(client, about, { plan = plan, preview = true }, function(result)
        if vim.api.nvim_buf_is_valid(bufnr) then
          vim.api.nvim_buf_delete(bufnr, { force = true })
        end
        preview(client, result)
      end)
    end,
  })
end

--- Asks the server for a plan, and shows it.
--- @param instruction string
--- @param first? integer The first line that the instruction is about, counted from 1
--- @param last? integer
function M.plan(instruction, first, last)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.require_client(bufnr)
  if not client then
    return
  end
  local argument = { instruction = instruction, textDocument = lsp.document(bufnr), show = true }
  if first and last then
    argument.range = {
      start = { line = first - 1, character = 0 },
      ['end'] = { line = last, character = 0 },
    }
  end
  notify.echo('planning: ' .. instruction .. ' …')
  execute(client, bufnr, argument, function(result)
    if result.status == 'planned' then
      show(client, bufnr, result.plan)
    else
      preview(client, result)
    end
  end)
end

--- Prompts for an instruction, then calls [M.plan].
--- @param first? integer
--- @param last? integer
function M.ask(first, last)
  local bufnr = vim.api.nvim_get_current_buf()
  if not server.require_client(bufnr) then
    return
  end
  vim.ui.input({ prompt = 'Tandem, in all files: ' }, function(instruction)
    instruction = instruction and vim.trim(instruction) or ''
    if instruction ~= '' and vim.api.nvim_get_current_buf() == bufnr then
      M.plan(instruction, first, last)
    end
  end)
end

--- Cancels the pending request; false if there is none.
--- @return boolean
function M.cancel()
  if not pending or not pending.request then
    return false
  end
  lsp.cancel(pending.client, pending.request)
  pending = nil
  notify.echo('cancelled; nothing was changed')
  return true
end

return M
