import "./polyfill";
^^^^^^^^^^^^^^^^^^^^ import
        ^^^^^^^^^^ import path
import type { Point, Size as Extent } from "./geometry";
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
              ^^^^^ import name
                             ^^^^^^ import name
                                            ^^^^^^^^^^ import path
import React from "react";
^^^^^^^^^^^^^^^^^^^^^^^^^^ import
       ^^^^^ import name
                   ^^^^^ import path
import * as path from "node:path";
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
            ^^^^ import name
                       ^^^^^^^^^ import path
import fs = require("fs");
^^^^^^^^^^^^^^^^^^^^^^^^^^ import
       ^^ import name
                     ^^ import path
export * from "./area";
^^^^^^^^^^^^^^^^^^^^^^^ import
               ^^^^^^ import path

export const LIMIT: number = 64;
       ^^^^^^^^^^^^^^^^^^^^^^^^^ definition.constant
             ^^^^^ definition.constant name
let count: Count = 0;
^^^^^^^^^^^^^^^^^^^^^ definition.variable
    ^^^^^ definition.variable name
           ^^^^^ reference.type name

type Points = Map<string, Point[]>;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type, scope
     ^^^^^^ definition.type name
              ^^^ reference.type name
                          ^^^^^ reference.type name
type Alias = Point;
^^^^^^^^^^^^^^^^^^^ definition.type, scope
     ^^^^^ definition.type name
             ^^^^^ reference.type name
export type Named<T extends Base> = { name: string; value: T | geometry.Vector };
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type, scope
            ^^^^^ definition.type name
                            ^^^^ reference.type name
                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope
                                      ^^^^^^^^^^^^ definition.field
                                      ^^^^ definition.field name
                                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                                                    ^^^^^ definition.field name
                                                           ^ reference.type name
                                                                        ^^^^^^ reference.type name

declare function measure(shape: Shape): Promise<Size>;
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
                 ^^^^^^^ definition.function name
                                ^^^^^ reference.type name
                                        ^^^^^^^ reference.type name
                                                ^^^^ reference.type name

declare module "shapes" {
        ^^^^^^^^^^^^^^^^^ definition.module, scope (3 lines)
               ^^^^^^^^ definition.module name
                        ^ definition.module body, scope (3 lines)
  export function load(): void;
         ^^^^^^^^^^^^^^^^^^^^^^ definition.function
                  ^^^^ definition.function name
}

namespace Units {
^^^^^^^^^^^^^^^^^ definition.module, scope (3 lines)
          ^^^^^ definition.module name
                ^ definition.module body, scope (3 lines)
  export const CM = "cm";
}

/** What every shape can do. */
export interface Shape extends Drawable, Serial<Shape> {
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.interface, scope (4 lines)
                 ^^^^^ definition.interface name
                               ^^^^^^^^ reference.type name
                                         ^^^^^^ reference.type name
                                                ^^^^^ reference.type name
                                                       ^ definition.interface body, scope (4 lines)
  readonly name: string;
  ^^^^^^^^^^^^^^^^^^^^^ definition.field
           ^^^^ definition.field name
  area(scale?: Scale): number;
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method
  ^^^^ definition.method name
               ^^^^^ reference.type name
}

enum Kind {
^^^^^^^^^^^ definition.enum, scope (4 lines)
     ^^^^ definition.enum name
          ^ definition.enum body, scope (4 lines)
  Round,
  ^^^^^ definition.field name
  Square = "square",
  ^^^^^^^^^^^^^^^^^ definition.field
  ^^^^^^ definition.field name
}

abstract class Base<T> extends Root implements Shape, Eq<T> {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (15 lines)
               ^^^^ definition.class name
                               ^^^^ reference.type name
                                               ^^^^^ reference.type name
                                                      ^^ reference.type name
                                                         ^ reference.type name
                                                            ^ definition.class body, scope (15 lines)
  protected static unit: Unit = Unit.Cm;
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                   ^^^^ definition.field name
                         ^^^^ reference.type name
  readonly name;
  ^^^^^^^^^^^^^ definition.field
           ^^^^ definition.field name

  constructor(private readonly radius: number, label: string) {
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (3 lines)
  ^^^^^^^^^^^ definition.method name
              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                               ^^^^^^ definition.field name
                                                              ^ definition.method body, scope (3 lines)
    super(label);
  }

  abstract area(): number;
  ^^^^^^^^^^^^^^^^^^^^^^^ definition.method
           ^^^^ definition.method name

  draw(): void {
  ^^^^^^^^^^^^^^ definition.method, scope (4 lines)
  ^^^^ definition.method name
               ^ definition.method body, scope (4 lines)
    const box = (points: Points): Box => new Box(points);
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
          ^^^ definition.function name
                         ^^^^^^ reference.type name
                                  ^^^ reference.type name
                                         ^^^^^^^^^^^^^^^ definition.function body, reference.call
                                             ^^^ reference.call name
    box(this.points as Points);
    ^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
    ^^^ reference.call name
                       ^^^^^^ reference.type name
  }
}

export class Circle extends shapes.Round {
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (11 lines)
             ^^^^^^ definition.class name
                            ^^^^^^^^^^^^ reference.type
                                   ^^^^^ reference.type name
                                         ^ definition.class body, scope (11 lines)
  @memoize()
   ^^^^^^^^^ reference.call
   ^^^^^^^ reference.call name
  get area(): number {
  ^^^^^^^^^^^^^^^^^^^^ definition.method, scope (8 lines)
      ^^^^ definition.method name
                     ^ definition.method body, scope (8 lines)
    switch (this.kind) {
                       ^ scope (6 lines)
      case Kind.Round:
        return square(this.radius);
               ^^^^^^^^^^^^^^^^^^^ reference.call
               ^^^^^^ reference.call name
      default:
        return 0;
    }
  }
}

function square(x: number): number;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
         ^^^^^^ definition.function name
function square(x: any) {
^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (3 lines)
         ^^^^^^ definition.function name
                        ^ definition.function body, scope (3 lines)
  return x * x;
}

export const double = (x: number) => x * 2;
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
             ^^^^^^ definition.function name
                                     ^^^^^ definition.function body
