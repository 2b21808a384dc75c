--- Draws ghost text and next edits as virtual text.

local M = {}

--- The average of two colours.
--- @param a integer
--- @param b integer
--- @return integer
local function mix_colours(a, b)
  local mixed = 0
  for _, unit in ipairs({ 0x10000, 0x100, 1 }) do
    local x, y = math.floor(a / unit) % 0x100, math.floor(b / unit) % 0x100
    mixed = mixed + math.floor((x + y) / 2) * unit
  end
  return mixed
end

--- The attributes set by this module, by group.
--- @type table<string, table?>
local defined = {}

--- Sets a highlight group, unless the colour scheme or the user has set it.
--- @param name string
--- @param attributes vim.api.keyset.highlight
local function define(name, attributes)
  local now = vim.api.nvim_get_hl(0, { name = name })
  if vim.tbl_isempty(now) or vim.deep_equal(now, defined[name]) then
    vim.api.nvim_set_hl(0, name, attributes)
    defined[name] = vim.api.nvim_get_hl(0, { name = name })
  end
end

--- Sets the highlight groups; repeated for each colour scheme, which clears them.
function M.define_groups()
  -- Neovim's own groups are too dim in many colour schemes; the average with the background is readable in all.
  local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
  if normal.fg and normal.bg then
    define('TandemGhost', { fg = mix_colours(normal.fg, normal.bg), ctermfg = 8 })
  else
    define('TandemGhost', { link = 'Comment' })
  end
  define('TandemHint', { link = 'TandemGhost' })
  define('TandemAdd', { link = 'DiffAdd' })
  -- Colour alone does not distinguish deleted text from its replacement.
  local deleted = vim.api.nvim_get_hl(0, { name = 'DiffDelete', link = false })
  define('TandemDelete', vim.tbl_extend('force', deleted, { strikethrough = true }))
  define('TandemSign', { link = 'DiagnosticSignHint' })
end

--- Expands tabs to spaces, as on screen: virtual text has no tab stops.
--- @param text string
--- @param column integer The screen column where it begins
--- @param tabstop integer
--- @return string
function M.expand(text, column, tabstop)
  if not text:find('\t', 1, true) then
    return text
  end
  local parts = {}
  for before, tab in text:gmatch('([^\t]*)(\t?)') do
    table.insert(parts, before)
    column = column + vim.fn.strdisplaywidth(before, column)
    if tab ~= '' then
      local width = tabstop - column % tabstop
      table.insert(parts, (' '):rep(width))
      column = column + width
    end
  end
  return table.concat(parts)
end

--- The pieces of a text around the characters of the one that it replaces: before each of them and after the last.
--- Closing brackets that the editor inserted are replaced by text that contains them.
--- @param text string
--- @param replaced string
--- @return string[]? nil if it does not contain all of them
local function pieces_around(text, replaced)
  local pieces, at = {}, 1
  for kept in replaced:gmatch('[%z\1-\127\194-\244][\128-\191]*') do
    local from, to = text:find(kept, at, true)
    if not from then
      return nil
    end
    table.insert(pieces, text:sub(at, from - 1))
    at = to + 1
  end
  table.insert(pieces, text:sub(at))
  return pieces
end

--- Draws ghost text at the cursor.
---
--- One line is drawn inline, which moves the rest of the line to the right. With several lines, the rest of the line is
--- drawn after the last of them, and covered at its old position.
--- @param bufnr integer
--- @param namespace integer
--- @param row integer Counted from 0
--- @param column integer In bytes
--- @param text string
--- @param replaced integer The bytes after the cursor that accepting deletes
--- @param hint? string Drawn after the text
function M.ghost(bufnr, namespace, row, column, text, replaced, hint)
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
  local tabstop = vim.bo[bufnr].tabstop
  local lines = vim.split(text, '\n', { plain = true })
  local start = vim.fn.strdisplaywidth(line:sub(1, column))
  local first = { { M.expand(lines[1], start, tabstop), 'TandemGhost' } }
  local below = {}
  for i = 2, #lines do
    table.insert(below, { { M.expand(lines[i], 0, tabstop), 'TandemGhost' } })
  end

  local tail = line:sub(column + replaced + 1)
  local overlay = #below > 0 and column < #line
  if overlay then
    local width = vim.fn.strdisplaywidth(line) - start - vim.fn.strdisplaywidth(first[1][1])
    table.insert(first, { (' '):rep(math.max(width, 0)) })
    local last = below[#below]
    local at = vim.fn.strdisplaywidth(last[1][1])
    table.insert(last, { M.expand(tail, at, tabstop), 'Normal' })
  elseif replaced > 0 and #below == 0 then
    local kept = line:sub(column + 1, column + replaced)
    local pieces = pieces_around(lines[1], kept)
    if pieces then
      local at = column
      for i, piece in ipairs(pieces) do
        local chunks = { { M.expand(piece, 0, tabstop), 'TandemGhost' } }
        if hint and i == #pieces then
          table.insert(chunks, { hint, 'TandemHint' })
        end
        vim.api.nvim_buf_set_extmark(bufnr, namespace, row, at, {
          virt_text = chunks,
          virt_text_pos = 'inline',
          hl_mode = 'combine',
        })
        at = at + #(vim.fn.strpart(kept, at - column, 1, true))
      end
      return
    end
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, column, {
      end_col = column + replaced,
      hl_group = 'TandemDelete',
    })
  end
  if hint then
    table.insert(#below > 0 and below[#below] or first, { hint, 'TandemHint' })
  end
  vim.api.nvim_buf_set_extmark(bufnr, namespace, row, column, {
    virt_text = first,
    virt_text_pos = overlay and 'overlay' or 'inline',
    virt_lines = #below > 0 and below or nil,
    hl_mode = 'combine',
  })
end

--- Inserted lines as chunks; the indentation is not highlighted.
--- @param bufnr integer
--- @param lines string[]
local function virtual_lines(bufnr, lines)
  return vim.tbl_map(function(line)
    local indent, rest = M.expand(line, 0, vim.bo[bufnr].tabstop):match('^(%s*)(.*)$')
    return { { indent }, { rest, 'TandemAdd' } }
  end, lines)
end

--- @param bufnr integer
--- @param namespace integer
--- @param row integer
--- @param line string
--- @param pieces tandem.Piece[]
local function draw_pieces(bufnr, namespace, row, line, pieces)
  for _, piece in ipairs(pieces) do
    if piece.to > piece.from then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row, piece.from, {
        end_col = piece.to,
        hl_group = 'TandemDelete',
      })
    end
    if piece.text ~= '' then
      local start = vim.fn.strdisplaywidth(line:sub(1, piece.to))
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row, piece.to, {
        virt_text = { { M.expand(piece.text, start, vim.bo[bufnr].tabstop), 'TandemAdd' } },
        virt_text_pos = 'inline',
      })
    end
  end
end

--- The cells of the current window that a line and its virtual text take, and those of a row.
--- @param row integer Counted from 0
--- @return integer used, integer width
local function cells(row)
  local window = vim.api.nvim_get_current_win()
  local width = vim.api.nvim_win_get_width(window) - vim.fn.getwininfo(window)[1].textoff
  local used = vim.fn.virtcol({ row + 1, '$' }) - 1
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, { row, 0 }, { row, -1 }, { details = true })) do
    local details = mark[4]
    if details.virt_text and details.virt_text_pos == 'eol' then
      for _, chunk in ipairs(details.virt_text) do
        used = used + vim.fn.strdisplaywidth(chunk[1])
      end
      used = used + 1
    end
  end
  return used, width
end

--- Draws a hint behind the end of the cursor's line, or on a line of its own where there is no room: it covers no code.
--- @param namespace integer
--- @param text string
--- @return integer id Of the mark
function M.hint(namespace, text)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local chunks = { { ' ' .. text .. ' ', 'TandemHint' } }
  local used, width = cells(row)
  local rows = vim.wo.wrap and math.max(math.ceil(used / width), 1) or 1
  local shift = vim.wo.wrap and (rows - 1) * width or vim.fn.winsaveview().leftcol
  local fits = used - shift + vim.fn.strdisplaywidth(chunks[1][1]) < width
  local id = vim.api.nvim_buf_set_extmark(0, namespace, row, 0, {
    virt_text = fits and chunks or nil,
    virt_text_pos = fits and 'eol' or nil,
    virt_lines = not fits and { chunks } or nil,
  })
  if not fits and vim.fn.winline() + rows > vim.api.nvim_win_get_height(0) and vim.fn.line('w0') <= row then
    -- Below the last row of the window it would be out of sight.
    vim.fn.winrestview({ topline = vim.fn.line('w0') + 1 })
  end
  return id
end

--- Draws the changes of an edit: deleted text is marked, inserted text drawn beside or below it.
--- @param bufnr integer
--- @param namespace integer
--- @param row integer The first old line, counted from 0
--- @param hunks tandem.Hunk[]
function M.hunks(bufnr, namespace, row, hunks)
  -- Inserted lines by the line above them (-1: none), since the order of several marks on one line is undefined.
  --- @type table<integer, string[]>
  local below = {}
  for _, hunk in ipairs(hunks) do
    local at = row + hunk.row
    if hunk.pieces then
      draw_pieces(bufnr, namespace, at, hunk.removed[1], hunk.pieces)
    else
      for i, old in ipairs(hunk.removed) do
        draw_pieces(bufnr, namespace, at + i - 1, old, { { from = 0, to = #old, text = '' } })
      end
      local above = at + #hunk.removed - 1
      below[above] = vim.list_extend(below[above] or {}, hunk.added)
    end
  end
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for above, lines in pairs(below) do
    if #lines > 0 then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, math.min(math.max(above, 0), last), 0, {
        virt_lines = virtual_lines(bufnr, lines),
        virt_lines_above = above < 0,
      })
      if above < 0 then
        -- Neovim shows no virtual lines above the first line unless `topfill` is set.
        for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
          vim.api.nvim_win_call(window, function()
            if vim.fn.line('w0') == 1 then
              vim.fn.winrestview({ topfill = #lines })
            end
          end)
        end
      end
    end
  end
end

return M
