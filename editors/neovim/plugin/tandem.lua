if vim.g.loaded_tandem then
  return
end
vim.g.loaded_tandem = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify_once('Tandem needs Neovim 0.10 or newer', vim.log.levels.WARN)
  return
end

--- @class tandem.Subcommand
--- @field run fun(rest: string, first?: integer, last?: integer)
--- @field complete? fun(lead: string): string[]

local function rewrite(preview)
  return {
    run = function(instruction, first, last)
      require('tandem').rewrite(instruction ~= '' and instruction or nil, first, last, { preview = preview })
    end,
    complete = function(lead)
      return require('tandem.rewrite').complete(lead)
    end,
  }
end

--- @type table<string, tandem.Subcommand>
local subcommands = {
  rewrite = rewrite(nil),
  preview = rewrite(true),
  plan = {
    run = function(instruction, first, last)
      require('tandem').plan(instruction ~= '' and instruction or nil, first, last)
    end,
  },
  ask = {
    run = function(question)
      require('tandem').ask(question ~= '' and question or nil)
    end,
  },
  job = {
    run = function(name, first, last)
      require('tandem').job(name, first, last)
    end,
    complete = function(lead)
      return require('tandem.job').complete(lead)
    end,
  },
  commit = {
    run = function()
      require('tandem').commit()
    end,
  },
  cancel = {
    run = function()
      require('tandem.pending').cancel()
    end,
  },
  fix = {
    run = function(what)
      if what ~= '' and what ~= 'quickfix' then
        vim.notify(('Tandem: `:Tandem fix` takes `quickfix` or nothing, not %q'):format(what), vim.log.levels.WARN)
      else
        require('tandem').fix({ quickfix = what == 'quickfix' })
      end
    end,
    complete = function(lead)
      return vim.startswith('quickfix', lead) and { 'quickfix' } or {}
    end,
  },
  undo = {
    run = function()
      require('tandem.undo').run()
    end,
  },
  status = {
    run = function()
      require('tandem').status()
    end,
  },
  why = {
    run = function()
      require('tandem').why()
    end,
  },
  snooze = {
    run = function(minutes)
      if minutes ~= '' and not tonumber(minutes) then
        vim.notify(('Tandem: %q is not a number of minutes'):format(minutes), vim.log.levels.WARN)
        return
      end
      require('tandem').snooze(tonumber(minutes))
    end,
    complete = function(lead)
      return vim.tbl_filter(function(minutes)
        return vim.startswith(minutes, lead)
      end, { '0', '5', '15', '60' })
    end,
  },
  next = {
    run = function()
      require('tandem.next_edit').step()
    end,
  },
  all = {
    run = function()
      require('tandem').apply_all()
    end,
  },
  again = {
    run = function()
      require('tandem').show_dismissed()
    end,
  },
  log = {
    run = function()
      require('tandem.log').open()
    end,
  },
  setup = {
    run = function()
      require('tandem.setup').run()
    end,
  },
  model = {
    run = function()
      require('tandem.model').run()
    end,
  },
  profile = {
    run = function(name)
      require('tandem.setup').profile(name ~= '' and name or nil)
    end,
  },
  record = {
    run = function(action)
      require('tandem.record').run(action)
    end,
    complete = function(lead)
      return vim.tbl_filter(function(action)
        return vim.startswith(action, lead)
      end, require('tandem.record').ACTIONS)
    end,
  },
  remedy = {
    run = function()
      require('tandem.remedy').run()
    end,
  },
  restart = {
    run = function()
      require('tandem').restart()
    end,
  },
  doctor = {
    run = function()
      require('tandem.doctor').run('doctor')
    end,
  },
  usage = {
    run = function()
      require('tandem.doctor').run('usage')
    end,
  },
}

--- @param lead string
local function names(lead)
  local found = vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.tbl_keys(subcommands))
  table.sort(found)
  return found
end

vim.api.nvim_create_user_command('Tandem', function(command)
  -- Without a name it shows the status.
  local name, rest = (command.args ~= '' and command.args or 'status'):match('^(%S+)%s*(.-)%s*$')
  local subcommand = subcommands[name]
  if not subcommand then
    -- A list of all of them would not fit on one line, and the editor would stop until a key is pressed.
    local message = ('Tandem: there is no command `:Tandem %s`; press Tab after `:Tandem ` for a list'):format(name)
    vim.notify(message, vim.log.levels.WARN)
    return
  end
  local given = command.range > 0
  subcommand.run(rest, given and command.line1 or nil, given and command.line2 or nil)
end, {
  nargs = '*',
  range = true,
  desc = 'Rewrite lines by instruction, and control Tandem',
  complete = function(lead, line)
    local name, rest = line:match('Tandem%s+(%S+)%s+(.*)$')
    if not name then
      return names(lead)
    end
    local subcommand = subcommands[name]
    local found = subcommand and subcommand.complete and subcommand.complete(rest) or {}
    -- Neovim replaces only the last word.
    return vim.tbl_map(function(whole)
      return whole:sub(#rest - #lead + 1)
    end, found)
  end,
})

--- @param modes string|string[]
--- @param name string
--- @param description string
--- @param run fun()
local function plug(modes, name, description, run)
  vim.keymap.set(modes, ('<Plug>(tandem-%s)'):format(name), run, { desc = description })
end

plug('i', 'accept', 'Accept the ghost text', function()
  require('tandem').accept()
end)
plug('i', 'accept-word', 'Accept the next word of the ghost text', function()
  require('tandem').accept_word()
end)
plug('i', 'accept-line', 'Accept the next line of the ghost text', function()
  require('tandem').accept_line()
end)
plug('i', 'suggest', 'Request ghost text', function()
  require('tandem').suggest()
end)
plug('i', 'forward', 'Show the next suggestion', function()
  require('tandem').select(1)
end)
plug('i', 'back', 'Show the previous suggestion', function()
  require('tandem').select(-1)
end)
plug({ 'i', 'n' }, 'dismiss', 'Dismiss the ghost text or the next edit', function()
  require('tandem').dismiss()
end)
plug({ 'i', 'n' }, 'next', 'Jump to the next edit, or apply it', function()
  require('tandem.next_edit').step()
end)
plug('n', 'apply-all', 'Apply all remaining next edits', function()
  require('tandem').apply_all()
end)
plug({ 'i', 'n' }, 'again', 'Show the last dismissed suggestion again', function()
  require('tandem').show_dismissed()
end)
plug('n', 'rewrite', 'Rewrite what the cursor is in', function()
  require('tandem').rewrite()
end)
vim.keymap.set('x', '<Plug>(tandem-rewrite)', ':Tandem rewrite<CR>', { desc = 'Rewrite the selected lines' })
