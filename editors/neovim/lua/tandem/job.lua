--- The other jobs of a pair: they explain, document, simplify, test or review code.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')
local pending = require('tandem.pending')
local plan = require('tandem.plan')
local rewrite = require('tandem.rewrite')
local server = require('tandem.server')

local M = {}

--- The jobs, and the message while one runs.
M.JOBS = {
  document = 'documenting',
  explain = 'explaining',
  review = 'reviewing',
  simplify = 'simplifying',
  tests = 'planning tests',
}

--- The names of the jobs that start with a text.
--- @param prefix string
--- @return string[]
function M.complete(prefix)
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, prefix)
  end, vim.tbl_keys(M.JOBS))
  table.sort(names)
  return names
end

--- Does a job for lines of the current buffer.
--- @param name string
--- @param first? integer The first line, counted from 1. Default: the definition or statement on the cursor's line.
--- @param last? integer
function M.run(name, first, last)
  if not M.JOBS[name] then
    local problem = name == '' and 'name a job' or ('there is no job `%s`'):format(name)
    return notify.warn(('%s; the jobs are %s'):format(problem, table.concat(M.complete(''), ', ')))
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local client = server.require_client(bufnr)
  if not client then
    return
  end
  local argument = { job = name, textDocument = lsp.document(bufnr), range = rewrite.range(client, first, last) }
  if name == 'document' or name == 'simplify' then
    return rewrite.execute(client, 'tandem.job', argument, M.JOBS[name])
  end
  argument.preview = true
  pending.execute(client, bufnr, 'tandem.job', argument, M.JOBS[name], function(result)
    if name == 'tests' then
      plan.preview(client, result)
    elseif name == 'explain' then
      local lines = vim.split(result.text, '\n', { plain = true, trimempty = true })
      require('tandem.window').open('explanation', lines, 'markdown')
    elseif result.findings == 0 then
      notify.echo('the review found nothing wrong')
    else
      local what = result.findings == 1 and '1 finding' or result.findings .. ' findings'
      notify.echo(what .. ' shown as diagnostics, until the line is edited')
    end
  end)
end

return M
