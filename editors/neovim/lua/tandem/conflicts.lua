--- Conflicts: other plugins that show ghost text. They draw over each other and compete for the same key.

local lsp = require('tandem.lsp')
local notify = require('tandem.notify')

local M = {}

--- Language servers with ghost text, by a part of their name.
local servers = { 'copilot', 'codeium', 'windsurf', 'tabnine', 'supermaven', 'augment', 'cody' }

--- Plugins with ghost text but without a language server, by their main module.
local modules = {
  ['copilot.suggestion'] = 'copilot.lua',
  ['supermaven-nvim'] = 'supermaven-nvim',
  ['codeium'] = 'codeium.nvim',
  ['neocodeium'] = 'neocodeium',
  ['tabnine'] = 'tabnine-nvim',
  ['minuet'] = 'minuet-ai.nvim',
}

--- Plugins in Vim script, by the variable that they set when loaded.
local variables = { loaded_copilot = 'copilot.vim', loaded_codeium = 'codeium.vim', loaded_llama = 'llama.vim' }

--- The conflicting plugins that are active in a buffer.
--- @param bufnr integer
--- @return string[] names
function M.find(bufnr)
  local found = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    for _, name in ipairs(servers) do
      if client.name ~= 'tandem' and client.name:lower():find(name, 1, true) then
        found[client.name] = true
      end
    end
  end
  for module, name in pairs(modules) do
    if package.loaded[module] then
      found[name] = true
    end
  end
  for variable, name in pairs(variables) do
    if vim.g[variable] then
      found[name] = true
    end
  end
  local names = vim.tbl_keys(found)
  table.sort(names)
  return names
end

--- @param group integer The group for autocommands
function M.setup(group)
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local found = lsp.client(event.buf) and M.find(event.buf) or {}
      if #found > 0 then
        local message = '%s also shows ghost text here; '
          .. 'turn one of them off, Tandem with `ghost_text = false` in setup()'
        notify.once('conflicts', message:format(table.concat(found, ', ')))
      end
    end,
  })
end

return M
