import "./polyfill.js";
^^^^^^^^^^^^^^^^^^^^^^^ import
        ^^^^^^^^^^^^^ import path
import React, { useState, useMemo as memo } from "react";
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
       ^^^^^ import name
                ^^^^^^^^ import name
                                     ^^^^ import name
                                                  ^^^^^ import path
import * as path from "node:path";
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
            ^^^^ import name
                       ^^^^^^^^^ import path
export { area } from "./area.js";
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
                      ^^^^^^^^^ import path
const fs = require("node:fs");
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.constant, import
      ^^ definition.constant name, import name
           ^^^^^^^^^^^^^^^^^^ reference.call
           ^^^^^^^ reference.call name
                    ^^^^^^^ import path
const { join, sep: separator } = require("path");
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
        ^^^^ import name
                   ^^^^^^^^^ import name
                                 ^^^^^^^^^^^^^^^ reference.call
                                 ^^^^^^^ reference.call name
                                          ^^^^ import path

const LIMIT = 64;
^^^^^^^^^^^^^^^^^ definition.constant
      ^^^^^ definition.constant name
export const NAMES = ["circle", "square"];
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.constant
             ^^^^^ definition.constant name
let count = 0;
^^^^^^^^^^^^^^ definition.variable
    ^^^^^ definition.variable name
var legacy = true;
^^^^^^^^^^^^^^^^^^ definition.variable
    ^^^^^^ definition.variable name

/** Twice as much. */
const double = (x) => x * 2;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
      ^^^^^^ definition.function name
                      ^^^^^ definition.function body
export const triple = function (x) {
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function (3 lines)
             ^^^^^^ definition.function name
                                   ^ definition.function body, scope (3 lines)
  return sum(x, double(x));
         ^^^^^^^^^^^^^^^^^ reference.call
         ^^^ reference.call name
                ^^^^^^^^^ reference.call
                ^^^^^^ reference.call name
};

exports.half = (x) => x / 2;
^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
        ^^^^ definition.function name
                      ^^^^^ definition.function body
module.exports.load = function () {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function (3 lines)
               ^^^^ definition.function name
                                  ^ definition.function body, scope (3 lines)
  return import("./shapes.js");
         ^^^^^^^^^^^^^^^^^^^^^ import
                 ^^^^^^^^^^^ import path
};

function sum(first, ...others) {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (4 lines)
         ^^^ definition.function name
                               ^ definition.function body, scope (4 lines)
  const local = others.reduce((a, b) => a + b, 0);
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                       ^^^^^^ reference.call name
  return first + local;
}

function* naturals() {
^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (5 lines)
          ^^^^^^^^ definition.function name
                     ^ definition.function body, scope (5 lines)
  for (let n = 0; ; n++) {
                         ^ scope (3 lines)
    yield n;
  }
}

@register
^^^^^^^^^ reference.call
 ^^^^^^^^ reference.call name
@decorators.sealed
^^^^^^^^^^^^^^^^^^ reference.call
            ^^^^^^ reference.call name
export class Circle extends Shape {
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (18 lines)
             ^^^^^^ definition.class name
                            ^^^^^ reference.type name
                                  ^ definition.class body, scope (18 lines)
  #radius = 1;
  ^^^^^^^^^^^ definition.field
  ^^^^^^^ definition.field name
  static unit = "cm";
  ^^^^^^^^^^^^^^^^^^ definition.field
         ^^^^ definition.field name

  constructor(radius) {
  ^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (4 lines)
  ^^^^^^^^^^^ definition.method name
                      ^ definition.method body, scope (4 lines)
    super();
    this.#radius = radius;
  }

  get area() {
  ^^^^^^^^^^^^ definition.method, scope (8 lines)
      ^^^^ definition.method name
             ^ definition.method body, scope (8 lines)
    switch (this.#radius) {
                          ^ scope (6 lines)
      case 0:
        return 0;
      default:
        return Math.PI * this.#square(this.#radius);
                         ^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                              ^^^^^^^ reference.call name
    }
  }
}

class Square extends shapes.Polygon {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope
      ^^^^^^ definition.class name
                     ^^^^^^^^^^^^^^ reference.type
                            ^^^^^^^ reference.type name
                                    ^^ definition.class body, scope

const handlers = {
^^^^^^^^^^^^^^^^^^ definition.constant (9 lines)
      ^^^^^^^^ definition.constant name
  open() {
  ^^^^^^^^ definition.method, scope (3 lines)
  ^^^^ definition.method name
         ^ definition.method body, scope (3 lines)
    return new Circle(1);
           ^^^^^^^^^^^^^ reference.call
               ^^^^^^ reference.call name
  },
  close: () => null,
  ^^^^^^^^^^^^^^^^^ definition.method
  ^^^^^ definition.method name
               ^^^^ definition.method body
  toggle: function (event) {
  ^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method (3 lines)
  ^^^^^^ definition.method name
                           ^ definition.method body, scope (3 lines)
    if (event) new shapes.Square(event.size).draw();
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                          ^^^^^^ reference.call name
                                             ^^^^ reference.call name
  },
};

function View({ items }) {
^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (7 lines)
         ^^^^ definition.function name
                         ^ definition.function body, scope (7 lines)
  return (
    <Layout.Main title="shapes">
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
            ^^^^ reference.call name
      <ul>{items.map((item) => <Item key={item.id} />)}</ul>
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                 ^^^ reference.call name
                               ^^^^^^^^^^^^^^^^^^^^^^ reference.call
                                ^^^^ reference.call name
    </Layout.Main>
  );
}
