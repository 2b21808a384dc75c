require "set"

LIMIT = 64
^^^^^^^^^^ definition.constant
^^^^^ definition.constant name

# Twice as much.
def double(x) = x * 2
^^^^^^^^^^^^^^^^^^^^^ definition.function, scope
    ^^^^^^ definition.function name
                ^^^^^ definition.function body

module Shapes
^^^^^^^^^^^^^ definition.module, scope (26 lines)
       ^^^^^^ definition.module name
  class Base; end
  ^^^^^^^^^^^^^^^ definition.module body, scope (24 lines)
  ^^^^^^^^^^^^^^^ definition.class, scope
        ^^^^ definition.class name

  class Circle < Base
  ^^^^^^^^^^^^^^^^^^^ definition.class, scope (22 lines)
        ^^^^^^ definition.class name
    attr_reader :radius, :label
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class body, scope (20 lines)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                ^^^^^^^ definition.field name
                         ^^^^^^ definition.field name
    attr_accessor :color
    ^^^^^^^^^^^^^^^^^^^^ definition.field
                  ^^^^^^ definition.field name

    def self.unit
    ^^^^^^^^^^^^^ definition.method, scope (3 lines)
             ^^^^ definition.method name
      new(1)
      ^^^^^^ definition.method body, scope
    end

    def initialize(radius)
    ^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (3 lines)
        ^^^^^^^^^^ definition.method name
      @radius = radius
      ^^^^^^^^^^^^^^^^ definition.method body, scope
    end

    def area
    ^^^^^^^^ definition.method, scope (6 lines)
        ^^^^ definition.method name
      case radius
      ^^^^^^^^^^^ definition.method body, scope (4 lines)
      when 0 then 0
             ^^^^^^ scope
      else Math::PI * radius**2
      end
    end

    def empty?
    ^^^^^^^^^^ definition.method, scope (2 lines)
        ^^^^^^ definition.method name
    end
  end
end

class Shapes::Square < Shapes::Base
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (12 lines)
              ^^^^^^ definition.class name
  SIDES = 4
  ^^^^^^^^^ definition.class body, scope (10 lines)
  ^^^^^^^^^ definition.constant
  ^^^^^ definition.constant name

  def each
  ^^^^^^^^ definition.method, scope (8 lines)
      ^^^^ definition.method name
    SIDES.times do |side|
    ^^^^^^^^^^^^^^^^^^^^^ definition.method body, scope (6 lines)
                ^^^^^^^^^ scope (3 lines)
      yield side if side
      ^^^^^^^^^^^^^^^^^^ scope
    end
    unless block_given?
    ^^^^^^^^^^^^^^^^^^^ scope (3 lines)
                       ^ scope (2 lines)
      [1, 2].map { |x| x + 1 }
                 ^^^^^^^^^^^^^ scope
    end
  end
end

module Shapes::Helpers
^^^^^^^^^^^^^^^^^^^^^^ definition.module, scope (11 lines)
               ^^^^^^^ definition.module name
  def help
  ^^^^^^^^ definition.module body, definition.method, scope (9 lines)
      ^^^^ definition.method name
    while true
    ^^^^^^^^^^ definition.method body, scope (7 lines)
              ^ scope (7 lines)
      begin
      ^^^^^ scope (5 lines)
        break
      rescue StandardError
                          ^ scope (2 lines)
        retry
      end
    end
  end
end
