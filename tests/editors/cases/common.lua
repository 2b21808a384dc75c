-- What the cases share.

local support = require('support')
local eventually = support.eventually

local M = {}

M.SHAPE = 'fn new(width: u32, height: u32) {\n    self.宽 = "🙂";\n    self.width = width;\n    ˇ\n}\n'

--- A shape whose next line is begun, with its ghost text on screen.
function M.with_ghost(opts)
  local editor = support.start(vim.tbl_extend('force', { text = M.SHAPE }, opts or {}))
  editor:attached()
  editor:insert()
  editor:keys('self.height = ')
  M.shows(editor, '    self.height = ⟦height;⟧')
  return editor
end

--- Waits until the cursor's line is on screen so.
function M.shows(editor, expected)
  eventually('on screen', function()
    return editor:shown()
  end, expected)
end

--- Waits until this is the buffer's text.
function M.reads(editor, expected)
  eventually('the text', function()
    return editor:text()
  end, expected)
end

--- Waits until this is the buffer's text, with `ˇ` at the cursor.
function M.marks(editor, expected)
  eventually('the text', function()
    return editor:marked()
  end, expected)
end

--- Waits until these are the messages to the user.
function M.says(editor, expected)
  eventually('messages', function()
    return editor:said()
  end, expected)
end

--- Waits until the server's log has a line.
function M.logs(words)
  eventually(('the log has %q'):format(words), function()
    return support.logged(words)
  end, true)
end

--- Waits until a scripted server was told to execute these commands.
function M.executes(expected)
  eventually('commands', support.commands, expected)
end

return M
