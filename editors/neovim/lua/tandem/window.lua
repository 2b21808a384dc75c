--- A read-only window below the others. `q` closes it.

local M = {}

--- Makes a window as high as its text is on screen, long lines wrapped, and at most as half of the screen.
--- @param window_id integer
function M.fit(window_id)
  local rows = vim.api.nvim_win_text_height(window_id, {}).all
  vim.api.nvim_win_set_height(window_id, math.max(1, math.min(rows, math.floor(vim.o.lines / 2))))
end

--- @param name string The last part of the buffer's name
--- @param lines string[]
--- @param filetype? string
--- @return integer bufnr
function M.open(name, lines, filetype)
  local title = 'tandem://' .. name
  local old = vim.fn.bufnr('^' .. vim.fn.escape(title, '[]*?.\\') .. '$')
  if old ~= -1 then
    vim.api.nvim_buf_delete(old, { force = true })
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, title)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].filetype = filetype or ''
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.wo[0][0].number = false
  vim.wo[0][0].relativenumber = false
  vim.wo[0][0].signcolumn = 'no'
  -- Sentences are longer than a narrow window.
  vim.wo[0][0].linebreak = true
  vim.wo[0][0].wrap = true
  vim.wo[0][0].breakindent = true
  -- A paragraph that is higher than the window is read row by row.
  vim.wo[0][0].smoothscroll = true
  M.fit(0)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Close this window' })
  return bufnr
end

return M
