--- Splits the difference of two texts into the pieces to draw. Uses no buffers.

local M = {}

--- Up to this many changed lines are compared by words; more are drawn as old and new lines.
local MAX_PAIRED = 3

local diff = vim.text.diff or vim.diff

--- A replaced piece of a line. Columns are bytes of the old line; an empty range is an insertion.
--- @class tandem.Piece
--- @field from integer
--- @field to integer
--- @field text string

--- A run of changed lines.
--- @class tandem.Hunk
--- @field row integer The first old line, counted from 0; without removed lines, the one before which lines are added
--- @field removed string[]
--- @field added string[]
--- @field pieces? tandem.Piece[] The changes within one line; nil if it is drawn as old and new lines

--- Words, runs of space, and single other characters.
--- @param line string
--- @return string[]
local function words(line)
  local found = {}
  local at = 1
  while at <= #line do
    local word = line:match('^[%w_\128-\255]+', at) or line:match('^%s+', at) or line:sub(at, at)
    table.insert(found, word)
    at = at + #word
  end
  return found
end

--- @param lines string[]
--- @return string
local function join(lines)
  return #lines > 0 and table.concat(lines, '\n') .. '\n' or ''
end

--- The changes from one line to another, by words.
--- @param old string
--- @param new string
--- @return tandem.Piece[]
function M.pieces(old, new)
  local a, b = words(old), words(new)
  local starts, at = {}, 0
  for i, word in ipairs(a) do
    starts[i] = at
    at = at + #word
  end
  starts[#a + 1] = at
  local pieces = {}
  for _, hunk in
    ipairs(diff(join(a), join(b), { result_type = 'indices' }) --[[@as integer[][] ]])
  do
    local a_first, a_count, b_first, b_count = unpack(hunk)
    -- An insertion is after the word that it names.
    local from = a_count > 0 and a_first or a_first + 1
    table.insert(pieces, {
      from = starts[from],
      to = starts[from + a_count],
      text = table.concat(b, '', b_first, b_first + b_count - 1),
    })
  end
  return pieces
end

--- Whether the pieces are easier to read than both lines: most of the line is unchanged.
--- @param old string
--- @param new string
--- @param pieces tandem.Piece[]
local function is_readable(old, new, pieces)
  local removed, added = 0, 0
  for _, piece in ipairs(pieces) do
    removed, added = removed + piece.to - piece.from, added + #piece.text
  end
  return #pieces <= 4
    and added <= math.max(#vim.trim(new) * 2 / 3, 8)
    and removed <= math.max(#vim.trim(old) * 2 / 3, 8)
end

--- Adds a hunk, merged with an adjacent one.
--- @param hunks tandem.Hunk[]
--- @param row integer
--- @param removed string[]
--- @param added string[]
local function add(hunks, row, removed, added)
  if #removed == 1 and #added == 1 then
    local pieces = M.pieces(removed[1], added[1])
    if is_readable(removed[1], added[1], pieces) then
      table.insert(hunks, { row = row, removed = removed, added = added, pieces = pieces })
      return
    end
  end
  local above = hunks[#hunks]
  if above and not above.pieces and above.row + #above.removed == row then
    vim.list_extend(above.removed, removed)
    vim.list_extend(above.added, added)
  else
    table.insert(hunks, { row = row, removed = removed, added = added })
  end
end

--- @param old string[]
--- @param new string[]
--- @return tandem.Hunk[]
function M.hunks(old, new)
  local hunks = {}
  local options = { result_type = 'indices', algorithm = 'patience', linematch = 60 }
  for _, hunk in
    ipairs(diff(join(old), join(new), options) --[[@as integer[][] ]])
  do
    local old_first, old_count, new_first, new_count = unpack(hunk)
    -- Without removed lines, `old_first` is the line above.
    local row = old_count > 0 and old_first - 1 or old_first
    local removed = old_count > 0 and vim.list_slice(old, old_first, old_first + old_count - 1) or {}
    local added = new_count > 0 and vim.list_slice(new, new_first, new_first + new_count - 1) or {}
    if old_count == new_count and old_count <= MAX_PAIRED then
      for i = 1, old_count do
        add(hunks, row + i - 1, { removed[i] }, { added[i] })
      end
    else
      add(hunks, row, removed, added)
    end
  end
  return hunks
end

--- A unified diff.
--- @param old string[]
--- @param new string[]
--- @return string[]
function M.unified(old, new)
  local text = diff(join(old), join(new), { ctxlen = 3 }) --[[@as string]]
  return vim.split(vim.trim(text), '\n')
end

return M
