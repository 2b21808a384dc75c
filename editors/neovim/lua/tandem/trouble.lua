--- Which messages of the server tell of trouble that the user can end, and by what. See remedy.lua.

local M = {}

--- A phrase in messages of the server, and what helps there.
--- @type {words: string, remedies: string[]}[]
local NAMED = {
  { words = '(status 401)', remedies = { 'key', 'model', 'doctor' } },
  { words = 'holds no key', remedies = { 'key', 'configuration', 'doctor' } },
  { words = "a company's policy", remedies = { 'model' } },
  { words = '`budget.day_', remedies = { 'today', 'budget', 'model' } },
  { words = '`budget.', remedies = { 'budget', 'model' } },
  { words = "Tandem's settings", remedies = { 'configuration', 'doctor' } },
  { words = 'no model answers', remedies = { 'retry', 'model', 'doctor' } },
}

--- What helps against the last trouble.
--- @type string[]
local last = {}

--- Takes note of a message of the server. Where something helps, it names the command that lists it.
--- @param message string
--- @return string
function M.note(message)
  for _, it in ipairs(NAMED) do
    if message:find(it.words, 1, true) then
      last = it.remedies
      return message .. ' (:Tandem remedy)'
    end
  end
  return message
end

--- What a rewrite has left to do.
--- @type tandem.Left?
local rest

--- Takes note of the uses elsewhere that no longer fit a rewrite; returns how its message ends.
--- @param left? tandem.Left
--- @return string
function M.note_left(left)
  if not left then
    return ''
  end
  last, rest = { 'rest' }, left
  return ' (:Tandem remedy)'
end

--- What the last rewrite has left to do.
--- @return tandem.Left?
function M.rest()
  return rest
end

--- The names of what helps against the last trouble.
--- @return string[]
function M.remedies()
  return last
end

return M
