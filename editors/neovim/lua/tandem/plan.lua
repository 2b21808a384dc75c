--- Changes across many files: a plan to edit, then one diff to apply.

local base = require('tandem.base')
local changeset = require('tandem.changeset')
local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local pending = require('tandem.pending')
local server = require('tandem.server')
local window = require('tandem.window')

local M = {}

--- The note above a plan. The server skips lines that begin with `>`.
local NOTE = '> Change, add or delete steps. :w runs the plan, :bd! discards it.'

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
  vim.list_extend(lines, result.findings or {})
  if type(result.testCommand) == 'string' then
    table.insert(lines, ('`%s` runs the tests'):format(result.testCommand))
  end
  return lines
end

--- A file of a change, as it is shown.
--- @class tandem.PlannedFile
--- @field change tandem.FileChange
--- @field is_ticked boolean
--- @field row integer The line of its tick, counted from 0

--- @param file tandem.PlannedFile
--- @return string
local function tick_line(file)
  local names = vim.tbl_map(function(uri)
    return vim.fn.fnamemodify(vim.uri_to_fname(uri), ':.')
  end, file.change.uris)
  return ('[%s] %s'):format(file.is_ticked and 'x' or ' ', table.concat(names, ' → '))
end

--- The file that a line is about: one of the list, or one whose diff the line is in.
--- @param files tandem.PlannedFile[]
--- @param bufnr integer
--- @param row integer Counted from 0
--- @return tandem.PlannedFile?
local function file_at(files, bufnr, row)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, row + 2, false)
  for _, file in ipairs(files) do
    if file.row == row then
      return file
    end
  end
  while row >= 0 do
    local old, new = lines[row + 1]:match('^%-%-%- (.+)'), (lines[row + 2] or ''):match('^%+%+%+ (.+)')
    if old and new then
      local path = (new == '/dev/null' and old or new):sub(2)
      for _, file in ipairs(files) do
        for _, uri in ipairs(file.change.uris) do
          if vim.endswith(vim.uri_to_fname(uri), path) then
            return file
          end
        end
      end
      return nil
    end
    row = row - 1
  end
end

--- The lines that say what leaving out files would break.
--- @param findings string[]
--- @return string[]
local function warnings(findings)
  local lines = { '! The files that are left out are needed. a: apply anyway, x: tick a file.' }
  for _, finding in ipairs(findings) do
    table.insert(lines, '! ' .. finding)
  end
  return lines
end

--- Puts the cursor on the first changed line of the file in this window, if it changed; the jump list leads back.
--- @param changes tandem.FileChange[]
local function reveal(changes)
  local uri, first = vim.uri_from_bufnr(0), nil
  for _, change in ipairs(changes) do
    for _, operation in ipairs(change.operations) do
      local is_here = operation.textDocument and operation.textDocument.uri == uri
      for _, edit in ipairs(is_here and operation.edits or {}) do
        first = math.min(first or math.huge, edit.range.start.line + 1)
      end
    end
  end
  if first then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { math.min(first, vim.api.nvim_buf_line_count(0)), 0 })
  end
end

--- Shows the change that a plan made, with a key to apply it, and one to leave out a file.
--- @param client vim.lsp.Client
--- @param result table
--- @param plan? {bufnr: integer, tick: integer} The plan that was run. It stays on screen if there is nothing to
---   apply, or the user has changed it since.
function M.preview(client, result, plan)
  if result.status == 'unchanged' then
    return notify.echo('nothing to change')
  end
  local texts, outdated = nil, nil
  if result.edit then
    texts, outdated = base.of(result.edit)
  end
  if outdated then
    return notify.warn(outdated .. ', so this change is not shown; repeat it')
  end
  local shown = remarks(result)
  local title = result.edit and 'a: apply to the ticked files, x: tick or leave out a file, q: discard.'
    or 'Nothing is changed. q: close.'
  table.insert(shown, 1, title)
  --- @type tandem.PlannedFile[]
  local files = {}
  for _, change in ipairs(result.edit and changeset.files(result.edit) or {}) do
    local file = { change = change, is_ticked = true, row = #shown }
    table.insert(files, file)
    table.insert(shown, tick_line(file))
  end
  vim.list_extend(shown, vim.split(result.diff or '', '\n', { plain = true, trimempty = true }))
  local is_done = plan and result.edit and vim.api.nvim_buf_is_valid(plan.bufnr)
  if is_done and vim.api.nvim_buf_get_changedtick(plan.bufnr) == plan.tick then
    vim.api.nvim_buf_delete(plan.bufnr, { force = true })
  end
  local bufnr = window.open('plan-diff', shown, 'diff')
  if not result.edit then
    return
  end
  local first = files[#files].row + 1
  --- The number of lines below the ticks that warn of what is left out; nil if these ticks were not checked.
  --- @type integer?
  local warned
  --- @param row integer
  --- @param last integer
  --- @param lines string[]
  local function replace_lines(row, last, lines)
    vim.bo[bufnr].modifiable = true
    vim.api.nvim_buf_set_lines(bufnr, row, last, false, lines)
    vim.bo[bufnr].modifiable = false
  end
  local function map(key, description, run)
    vim.keymap.set('n', key, run, { buffer = bufnr, nowait = true, desc = description })
  end
  map('x', 'Tick or leave out the file at the cursor', function()
    local file = file_at(files, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1)
    if not file then
      return notify.echo('no file is at the cursor')
    end
    file.is_ticked = not file.is_ticked
    replace_lines(file.row, file.row + 1, { tick_line(file) })
    replace_lines(first, first + (warned or 0), {})
    warned = nil
  end)
  --- @param ticked tandem.FileChange[]
  local function apply(ticked)
    local problem = base.apply(changeset.edit(ticked), lsp.encoding(client), texts)
    if problem then
      -- The diff stays, as an undo may bring the text back.
      return notify.warn(problem .. ', so nothing was applied')
    end
    vim.api.nvim_buf_delete(bufnr, { force = true })
    reveal(ticked)
    local what = #ticked == 1 and '1 file' or ('%d files'):format(#ticked)
    local undo = #ticked == 1 and 'u' or ':Tandem undo'
    notify.echo(('applied to %s; :wall saves that, %s undoes it'):format(what, undo))
  end
  map('a', 'Apply these changes to the ticked files', function()
    local ticked, left_out = {}, {}
    for _, file in ipairs(files) do
      if file.is_ticked then
        table.insert(ticked, file.change)
      else
        table.insert(left_out, file.change.uris[1])
      end
    end
    if #ticked == 0 then
      return notify.echo('no file is ticked')
    end
    if #left_out == 0 or warned then
      return apply(ticked)
    end
    local ticks = vim.tbl_map(function(file)
      return file.is_ticked
    end, files)
    local argument = { edit = result.edit, leaveOut = left_out }
    pending.execute(client, bufnr, 'tandem.checkPlan', argument, 'checking what is left out', function(checked)
      if not vim.api.nvim_buf_is_valid(bufnr) then
        return
      end
      for i, file in ipairs(files) do
        -- Ticked otherwise meanwhile.
        if file.is_ticked ~= ticks[i] then
          return
        end
      end
      if warned or #checked.findings == 0 then
        return apply(ticked)
      end
      local lines = warnings(checked.findings)
      replace_lines(first, first, lines)
      warned = #lines
      local window_id = vim.fn.bufwinid(bufnr)
      if window_id ~= -1 then
        vim.api.nvim_win_set_cursor(window_id, { first + 1, 0 })
      end
    end)
  end)
end

--- Shows a plan in a buffer that runs it when it is written.
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
    desc = 'Run the plan',
    callback = function()
      local plan = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
      vim.bo[bufnr].modified = false
      local sent = { bufnr = bufnr, tick = vim.api.nvim_buf_get_changedtick(bufnr) }
      local argument = { plan = plan, preview = true }
      pending.execute(client, about, 'tandem.plan', argument, 'running the plan', function(result)
        M.preview(client, result, sent)
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
  pending.execute(client, bufnr, 'tandem.plan', argument, 'planning: ' .. instruction, function(result)
    if result.status == 'planned' then
      show(client, bufnr, result.plan)
    else
      M.preview(client, result)
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
  vim.ui.input({ prompt = 'Change to make across files, such as `return a Result from load`: ' }, function(instruction)
    instruction = instruction and vim.trim(instruction) or ''
    if instruction ~= '' and vim.api.nvim_get_current_buf() == bufnr then
      M.plan(instruction, first, last)
    end
  end)
end

return M
