-- The plugin, in the Neovim that runs this file:   TANDEM=target/release/tandem nvim --headless --clean -l neovim.lua
-- This Neovim is the runner; those under test are its children.

package.path = vim.fn.fnamemodify(_G.arg[0], ':p:h') .. '/?.lua;' .. package.path

require('cases.tab')
require('cases.ghost')
require('cases.next')
require('cases.menu')
require('cases.rename')
require('cases.rewrite')
require('cases.plan')
require('cases.ask')
require('cases.job')
require('cases.commands')
require('cases.save')
require('cases.life')
require('cases.messages')
require('support').finish()
