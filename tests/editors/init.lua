-- The configuration of the editors under test: what the plugin's README tells a user to write, and a list of the messages.

vim.o.swapfile = false
vim.o.shadafile = 'NONE'
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.laststatus = 2
vim.o.statusline = "%f %m%=%{%v:lua.require'tandem'.statusline()%} "
vim.opt.fillchars = { eob = ' ' }

_G.said = {}
if #vim.api.nvim_list_uis() == 0 then
  vim.notify = function(message)
    table.insert(_G.said, message)
  end
end

vim.opt.runtimepath:append(vim.env.TANDEM_PLUGIN)
require('tandem').setup(vim.json.decode(vim.env.TANDEM_OPTIONS))

vim.keymap.set({ 'i', 's', 'n' }, '<Tab>', require('tandem').tab, { expr = true })
vim.keymap.set('i', '<C-l>', '<Plug>(tandem-accept)')
vim.keymap.set('i', '<C-Right>', '<Plug>(tandem-accept-word)')
vim.keymap.set('i', '<C-Down>', '<Plug>(tandem-accept-line)')
vim.keymap.set('i', '<C-e>', '<Plug>(tandem-dismiss)')
vim.keymap.set('i', '<M-]>', '<Plug>(tandem-forward)')
vim.keymap.set('i', '<M-[>', '<Plug>(tandem-back)')
