local pi = math.pi
^^^^^^^^^^^^^^^^^^ definition.variable
      ^^ definition.variable name
limit = 64
^^^^^^^^^^ definition.variable
^^^^^ definition.variable name
local Shape = {}
^^^^^^^^^^^^^^^^ definition.variable
      ^^^^^ definition.variable name

-- How large it is.
local function square(x)
^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (3 lines)
               ^^^^^^ definition.function name
  return x * x
  ^^^^^^^^^^^^ definition.function body, scope
end

function Shape.new(radius)
^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (3 lines)
               ^^^ definition.function name
  return setmetatable({ radius = radius }, Shape)
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function body, scope
end

function Shape:area()
^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (5 lines)
               ^^^^ definition.method name
  if self.radius > 0 then
  ^^^^^^^^^^^^^^^^^^^^^^^ definition.method body, scope (3 lines)
    return pi * square(self.radius)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope
  end
end

local double = function(x)
^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function (3 lines)
      ^^^^^^ definition.function name
               ^^^^^^^^^^^ scope (3 lines)
  return x * 2
  ^^^^^^^^^^^^ definition.function body, scope
end

Shape.half = function(x) return x / 2 end
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
      ^^^^ definition.function name
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope
                         ^^^^^^^^^^^^ definition.function body, scope

local handlers = {
^^^^^^^^^^^^^^^^^^ definition.variable (4 lines)
      ^^^^^^^^ definition.variable name
  name = "shapes",
  open = function() end,
  ^^^^^^^^^^^^^^^^^^^^^ definition.method
  ^^^^ definition.method name
         ^^^^^^^^^^^^^^ scope
}

for i = 1, limit do
^^^^^^^^^^^^^^^^^^^ scope (5 lines)
  while true do
  ^^^^^^^^^^^^^ scope (3 lines)
    repeat break until i > 2
    ^^^^^^^^^^^^^^^^^^^^^^^^ scope
           ^^^^^ scope
  end
end

return Shape
