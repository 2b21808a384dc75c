-- Questions about the project: a window with the answer, and the lines that it names.

local support = require('support')
local case, eventually, start = support.case, support.eventually, support.start

--- Waits until a window shows this.
local function window(editor, expected)
  eventually('the window', function()
    return editor:text()
  end, expected)
end

--- Waits until the workspace is known: before that there is nothing to show to a model.
local function known(editor)
  eventually('the index', function()
    return editor:lua([[
      local client = vim.lsp.get_clients({ name = 'tandem' })[1]
      local params = { command = 'tandem.ask', arguments = { { question = 'area', quiet = true } } }
      local call = require('tandem.lsp').call
      local answer = call(client, 'request_sync', 'workspace/executeCommand', params, 5000, 0)
      return answer and answer.result and #answer.result.answers or 0
    ]])
  end, 1)
end

local TEXT = 'fn ˇarea() {}\nfn main() {\n    area();\n}\n'

case(':Tandem ask shows a checked answer, and <CR> jumps to its places', function()
  local reply = 'It is at shape.rs:1, and shape.rs:9.\n'
  local editor = start({ text = TEXT, script = { { when = 'You answer a question', reply = reply } } })
  editor:attached()
  known(editor)
  editor:keys(':Tandem ask where is the area?<CR>')
  window(editor, 'It is at shape.rs:1, and shape.rs:9. [no line 9: it has 4]\n\nshape.rs:1: fn area() {}\n')
  editor:keys('G<CR>')
  eventually('the place', function()
    return editor:marked()
  end, 'ˇfn area() {}\nfn main() {\n    area();\n}\n')
end)

case(':Tandem ask without a model lists definitions', function()
  local editor = start({ text = TEXT, simulator = false })
  editor:attached()
  known(editor)
  editor:keys(':Tandem ask area<CR>')
  window(editor, 'shape.rs:1: fn area()\n')
end)

case('<CR> in an answer jumps to the place that the line names, and says so if it names none', function()
  local reply = 'It is a function.\n\nSee shape.rs:1 and shape.rs:3, not shape.rs:9.\n'
  local editor = start({ text = TEXT, script = { { when = 'You answer a question', reply = reply } } })
  editor:attached()
  known(editor)
  editor:keys(':Tandem ask where is the area?<CR>')
  eventually('the window', function()
    return editor:text():find('shape.rs:3: ', 1, true) ~= nil
  end, true)
  editor:lua("require('tandem.notify').echo = function(message) _G.echoed = message end")
  editor:keys('gg<CR>')
  eventually('what is said', function()
    return editor:lua('return _G.echoed')
  end, 'this line cites no line')
  editor:keys('/shape.rs:3<CR><CR>')
  eventually('the place', function()
    return editor:marked()
  end, 'fn area() {}\nfn main() {\nˇ    area();\n}\n')
  editor:keys('<C-w>j/^See<CR><CR>')
  eventually('the first place', function()
    return editor:marked()
  end, 'ˇfn area() {}\nfn main() {\n    area();\n}\n')
end)
