//! Shapes and what can be asked of them.

extern crate alloc;
^^^^^^^^^^^^^^^^^^^ import
             ^^^^^ import path
extern crate std as standard;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
             ^^^ import path
                    ^^^^^^^^ import name

use alloc::vec::Vec;
^^^^^^^^^^^^^^^^^^^^ import
    ^^^^^^^^^^ import path
                ^^^ import name
use fmt::Write as _;
^^^^^^^^^^^^^^^^^^^^ import
    ^^^^^^^^^^ import path
                  ^ import name
use rand;
^^^^^^^^^ import
    ^^^^ import name
use std::collections::{self, HashMap, btree_map::Entry, hash_map::Iter as Pairs};
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
    ^^^^^^^^^^^^^^^^ import path
                       ^^^^ import name
                             ^^^^^^^ import name
                                      ^^^^^^^^^ import path
                                                 ^^^^^ import name
                                                                          ^^^^^ import name
use std::fmt::*;
^^^^^^^^^^^^^^^^ import
    ^^^^^^^^ import path
use std::{io::{self, Read, error::Kind, Write as Sink}, sync::Arc as Shared};
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
    ^^^ import path
          ^^ import path
               ^^^^ import name
                     ^^^^ import name
                           ^^^^^ import path
                                  ^^^^ import name
                                                 ^^^^ import name
                                                                     ^^^^^^ import name

/// How many sides are drawn at most.
pub const LIMIT: usize = 64;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.constant
          ^^^^^ definition.constant name
static mut COUNT: Counter = Counter { value: 0 };
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.constant
           ^^^^^ definition.constant name
                  ^^^^^^^ reference.type name
                            ^^^^^^^ reference.type name

type Points = Vec<Point>;
^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type
     ^^^^^^ definition.type name
              ^^^ reference.type name
                  ^^^^^ reference.type name

macro_rules! square {
^^^^^^^^^^^^^^^^^^^^^ definition.macro, scope (8 lines)
             ^^^^^^ definition.macro name
    ($x:expr) => {
        $x * $x
    };
    ($x:expr, $y:expr) => {{
        if ($y) == (one) { round($x.max($y)) }
                           ^^^^^ reference.call name
    }};
}

pub struct Circle<'a> {
^^^^^^^^^^^^^^^^^^^^^^^ definition.struct, scope (5 lines)
           ^^^^^^ definition.struct name
                      ^ definition.struct body, scope (5 lines)
    pub radius: f64,
    ^^^^^^^^^^^^^^^ definition.field
        ^^^^^^ definition.field name
    label: &'a Label,
    ^^^^^^^^^^^^^^^^ definition.field
    ^^^^^ definition.field name
               ^^^^^ reference.type name
    grid: [Cell; 4],
    ^^^^^^^^^^^^^^^ definition.field
    ^^^^ definition.field name
           ^^^^ reference.type name
}

struct Unit;
^^^^^^^^^^^^ definition.struct, scope
       ^^^^ definition.struct name

struct Pair(Point, (Left, u8));
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.struct, scope
       ^^^^ definition.struct name
           ^^^^^^^^^^^^^^^^^^^ definition.struct body
            ^^^^^ reference.type name
                    ^^^^ reference.type name

union Bits {
^^^^^^^^^^^^ definition.struct, scope (3 lines)
      ^^^^ definition.struct name
           ^ definition.struct body, scope (3 lines)
    whole: u32,
    ^^^^^^^^^^ definition.field
    ^^^^^ definition.field name
}

/// One of the known shapes.
enum Shape {
^^^^^^^^^^^^ definition.enum, scope (5 lines)
     ^^^^^ definition.enum name
           ^ definition.enum body, scope (5 lines)
    Dot,
    ^^^ definition.field name
    Round(Circle<'static>),
    ^^^^^^^^^^^^^^^^^^^^^^ definition.field
    ^^^^^ definition.field name
         ^^^^^^^^^^^^^^^^^ definition.field body
          ^^^^^^ reference.type name
    Named { name: String },
    ^^^^^^^^^^^^^^^^^^^^^^ definition.field
    ^^^^^ definition.field name
          ^^^^^^^^^^^^^^^^ definition.field body, scope
            ^^^^^^^^^^^^ definition.field
            ^^^^ definition.field name
                  ^^^^^^ reference.type name
}

pub trait Area: Sized {
^^^^^^^^^^^^^^^^^^^^^^^ definition.interface, scope (9 lines)
          ^^^^ definition.interface name
                ^^^^^ reference.type name
                      ^ definition.interface body, scope (9 lines)
    type Unit;
    ^^^^^^^^^^ definition.type
         ^^^^ definition.type name

    fn area(&self) -> f64;
    ^^^^^^^^^^^^^^^^^^^^^^ definition.method
       ^^^^ definition.method name

    fn doubled(&self) -> f64 {
    ^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (3 lines)
       ^^^^^^^ definition.method name
                             ^ definition.method body, scope (3 lines)
        self.area() * 2.0
        ^^^^^^^^^^^ reference.call
             ^^^^ reference.call name
    }
}

impl Area for Circle<'_> {
^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.implementation, scope (11 lines)
     ^^^^ reference.type name
              ^^^^^^^^^^ definition.implementation name
              ^^^^^^ reference.type name
                         ^ definition.implementation body, scope (11 lines)
    type Unit = f64;
    ^^^^^^^^^^^^^^^^ definition.type
         ^^^^ definition.type name

    fn area(&self) -> f64 {
    ^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (7 lines)
       ^^^^ definition.method name
                          ^ definition.method body, scope (7 lines)
        let scale = |x: f64| -> f64 { x * 2.0 };
                                    ^^^^^^^^^^^ scope
        match self.radius {
                          ^ scope (4 lines)
            r if r < 0.0 => panic!("negative: {r}"),
                            ^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                            ^^^^^ reference.call name
            r => scale(core::consts::pi(square!(r))),
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                 ^^^^^ reference.call name
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                                     ^^ reference.call name
                                        ^^^^^^^^^^ reference.call
                                        ^^^^^^ reference.call name
        }
    }
}

impl Shape {
^^^^^^^^^^^^ definition.implementation, scope (10 lines)
     ^^^^^ definition.implementation name, reference.type name
           ^ definition.implementation body, scope (10 lines)
    fn parse(text: &str) -> Option<shapes::Parsed> {
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (8 lines)
       ^^^^^ definition.method name
                            ^^^^^^ reference.type name
                                           ^^^^^^ reference.type name
                                                   ^ definition.method body, scope (8 lines)
        let all = text.split(',').map(str::parse::<f64>).collect::<Vec<Part>>();
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                  ^^^^^^^^^^^^^^^ reference.call
                       ^^^^^ reference.call name
                                  ^^^ reference.call name
                                                         ^^^^^^^ reference.call name
                                                                   ^^^ reference.type name
                                                                       ^^^^ reference.type name
        if all.is_empty() {
           ^^^^^^^^^^^^^^ reference.call
               ^^^^^^^^ reference.call name
                          ^ scope (3 lines)
            return fallback::<u8>();
                   ^^^^^^^^^^^^^^^^ reference.call
                   ^^^^^^^^ reference.call name
        }
        log::info!("{}", Shape::describe());
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
             ^^^^ reference.call name
                                ^^^^^^^^ reference.call name
        mem::take::<Part>(all)
        ^^^^^^^^^^^^^^^^^^^^^^ reference.call
             ^^^^ reference.call name
                    ^^^^ reference.type name
    }
}

mod tests {
^^^^^^^^^^^ definition.module, scope (5 lines)
    ^^^^^ definition.module name
          ^ definition.module body, scope (5 lines)
    fn round() {
    ^^^^^^^^^^^^ definition.function, scope (3 lines)
       ^^^^^ definition.function name
               ^ definition.function body, scope (3 lines)
        unsafe { drop(()) };
               ^^^^^^^^^^^^ scope
                 ^^^^^^^^ reference.call
                 ^^^^ reference.call name
    }
}

extern "C" {
           ^ scope (3 lines)
    fn abs(value: i32) -> i32;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
       ^^^ definition.function name
}

fn origin() -> Point {
^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (3 lines)
   ^^^^^^ definition.function name
               ^^^^^ reference.type name
                     ^ definition.function body, scope (3 lines)
    Point::default()
    ^^^^^^^^^^^^^^^^ reference.call
    ^^^^^ reference.type name
           ^^^^^^^ reference.call name
}

#[cfg(not(test))]
fn told(all: &[Part]) {
^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (5 lines)
   ^^^^ definition.function name
               ^^^^ reference.type name
                      ^ definition.function body, scope (5 lines)
    assert_eq!(origin(), Point::new(1), "{}", (rest) == (all) && one - (two));
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
    ^^^^^^^^^ reference.call name
               ^^^^^^ reference.call name
                                ^^^ reference.call name
    let some = vec![Some(all.first(fallback::<u8>(1))), (three)];
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
               ^^^ reference.call name
                    ^^^^ reference.call name
                             ^^^^^ reference.call name
    tell!({ "a": [if (all) { deep(in (all)) }], "deep(2)": 3 (4) });
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
    ^^^^ reference.call name
                             ^^^^ reference.call name
}

mod other;
^^^^^^^^^^ definition.module, scope
    ^^^^^ definition.module name
