"""Shapes and what can be asked of them."""

from __future__ import annotations
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
                       ^^^^^^^^^^^ import name

import math
^^^^^^^^^^^ import
       ^^^^ import path
import os.path, json as codec
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
       ^^^^^^^ import path
                ^^^^ import path
                        ^^^^^ import name
from collections import OrderedDict, defaultdict as table
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
     ^^^^^^^^^^^ import path
                        ^^^^^^^^^^^ import name
                                                    ^^^^^ import name
from typing import *
^^^^^^^^^^^^^^^^^^^^ import
     ^^^^^^ import path
from . import units
^^^^^^^^^^^^^^^^^^^ import
     ^ import path
              ^^^^^ import name

LIMIT = 64
^^^^^^^^^^ definition.constant
^^^^^ definition.constant name
registry: dict[str, Shape] = {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
^^^^^^^^ definition.variable name
          ^^^^ reference.type name
               ^^^ reference.type name
                    ^^^^^ reference.type name
type Points = list[tuple[float, float]]
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type
     ^^^^^^ definition.type name, reference.type name
              ^^^^ reference.type name
                   ^^^^^ reference.type name
                         ^^^^^ reference.type name
                                ^^^^^ reference.type name


class Shape(Drawable, abc.ABC, metaclass=Meta):
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (22 lines)
      ^^^^^ definition.class name
            ^^^^^^^^ reference.type name
                      ^^^^^^^ reference.type
                          ^^^ reference.type name
    """Anything that has an area."""
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class body, scope (21 lines)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class doc

    sides: typing.Final[int] = 0
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
    ^^^^^ definition.field name
           ^^^^^^^^^^^^ reference.type
                  ^^^^^ reference.type name
    label = "shape"
    ^^^^^^^^^^^^^^^ definition.field
    ^^^^^ definition.field name

    def __init__(self, name: str, parent: Shape | Group | None = None) -> None:
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (3 lines)
        ^^^^^^^^ definition.method name
                             ^^^ reference.type name
        """Keeps the name."""
        ^^^^^^^^^^^^^^^^^^^^^ definition.method body, scope (2 lines)
        ^^^^^^^^^^^^^^^^^^^^^ definition.method doc
        self.name = name

    @property
    ^^^^^^^^^ reference.call
     ^^^^^^^^ reference.call name
    @functools.cache
    ^^^^^^^^^^^^^^^^ reference.call
               ^^^^^ reference.call name
    def area(self) -> units.Square:
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (2 lines)
        ^^^^ definition.method name
                      ^^^^^^^^^^^^ reference.type
                            ^^^^^^ reference.type name
        raise NotImplementedError()
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method body, scope
              ^^^^^^^^^^^^^^^^^^^^^ reference.call
              ^^^^^^^^^^^^^^^^^^^ reference.call name

    @classmethod
    ^^^^^^^^^^^^ reference.call
     ^^^^^^^^^^^ reference.call name
    def parse(cls, text: str) -> Optional[Shape]:
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (6 lines)
        ^^^^^ definition.method name
                         ^^^ reference.type name
                                 ^^^^^^^^ reference.type name
                                          ^^^^^ reference.type name
        match text.split():
        ^^^^^^^^^^^^^^^^^^^ definition.method body, scope (5 lines)
              ^^^^^^^^^^^^ reference.call
                   ^^^^^ reference.call name
                           ^ scope (5 lines)
            case ["circle", radius]:
                return Circle(float(radius))
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope
                       ^^^^^^^^^^^^^^^^^^^^^ reference.call
                       ^^^^^^ reference.call name
                              ^^^^^^^^^^^^^ reference.call
                              ^^^^^ reference.call name
            case _:
                return None
                ^^^^^^^^^^^ scope


class Circle(Shape):
^^^^^^^^^^^^^^^^^^^^ definition.class, scope (12 lines)
      ^^^^^^ definition.class name
             ^^^^^ reference.type name
    def area(self):
    ^^^^^^^^^^^^^^^ definition.class body, definition.method, scope (11 lines)
        ^^^^ definition.method name
        # A nested function is a function, not a method.
        def square(x):
        ^^^^^^^^^^^^^^ definition.method body, scope (9 lines)
        ^^^^^^^^^^^^^^ definition.function, scope (2 lines)
            ^^^^^^ definition.function name
            return x * x
            ^^^^^^^^^^^^ definition.function body, scope

        try:
            return math.pi * square(self.radius)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope
                             ^^^^^^^^^^^^^^^^^^^ reference.call
                             ^^^^^^ reference.call name
        except ValueError as error:
               ^^^^^^^^^^ reference.type name
            log(error)
            ^^^^^^^^^^ reference.call, scope
            ^^^ reference.call name
        except KeyError:
               ^^^^^^^^ reference.type name
            pass
            ^^^^ scope


@app.command(name="total")
 ^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
     ^^^^^^^ reference.call name
def total(shapes: Iterable[Shape]) -> float:
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (10 lines)
    ^^^^^ definition.function name
                  ^^^^^^^^ reference.type name
                           ^^^^^ reference.type name
                                      ^^^^^ reference.type name
    """Adds the areas up.
    ^^^^^^^^^^^^^^^^^^^^^ definition.function body, scope (9 lines)
    ^^^^^^^^^^^^^^^^^^^^^ definition.function doc (4 lines)

    An empty list gives nothing.
    """
    result = 0
    for shape in shapes:
        if shape:
        ^^^^^^^^^ scope (2 lines)
            result += shape.area
            ^^^^^^^^^^^^^^^^^^^^ scope
    return result


async def load(path):
^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (3 lines)
          ^^^^ definition.function name
    async with open_file(path) as file:
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function body, scope (2 lines)
               ^^^^^^^^^^^^^^^ reference.call
               ^^^^^^^^^ reference.call name
        return [Shape.parse(line) async for line in file]
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope
                ^^^^^^^^^^^^^^^^^ reference.call
                      ^^^^^ reference.call name
