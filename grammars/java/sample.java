package com.example.shapes;

import java.util.List;
^^^^^^^^^^^^^^^^^^^^^^ import
       ^^^^^^^^^ import path
                 ^^^^ import name
import java.util.function.*;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
       ^^^^^^^^^^^^^^^^^^ import path
import static java.lang.Math.PI;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
              ^^^^^^^^^^^^^^ import path
                             ^^ import name

@interface Tested {
^^^^^^^^^^^^^^^^^^^ definition.interface, scope (3 lines)
           ^^^^^^ definition.interface name
                  ^ definition.interface body, scope (3 lines)
    String by() default "";
    ^^^^^^^^^^^^^^^^^^^^^^^ definition.method
    ^^^^^^ reference.type name
           ^^ definition.method name
}

/** Anything with an area. */
public interface Shape extends Drawable, Comparable<Shape> {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.interface, scope (9 lines)
                 ^^^^^ definition.interface name
                               ^^^^^^^^ reference.type name
                                         ^^^^^^^^^^ reference.type name
                                                    ^^^^^ reference.type name
                                                           ^ definition.interface body, scope (9 lines)
    double UNIT = 1.0;
    ^^^^^^^^^^^^^^^^^^ definition.constant
           ^^^^ definition.constant name

    double area();
    ^^^^^^^^^^^^^^ definition.method, scope
           ^^^^ definition.method name

    default Shape twice() {
    ^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (3 lines)
            ^^^^^ reference.type name
                  ^^^^^ definition.method name
                          ^ definition.method body, scope (3 lines)
        return Shapes.of(this, this);
               ^^^^^^^^^^^^^^^^^^^^^ reference.call
               ^^^^^^ reference.type name
                      ^^ reference.call name
    }
}

enum Kind {
^^^^^^^^^^^ definition.enum, scope (8 lines)
     ^^^^ definition.enum name
          ^ definition.enum body, scope (8 lines)
    ROUND,
    ^^^^^ definition.field name
    SQUARE(4) {
    ^^^^^^^^^^^ definition.field (3 lines)
    ^^^^^^ definition.field name
              ^ definition.field body, scope (3 lines)
        int sides() { return 4; }
        ^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
            ^^^^^ definition.method name
                    ^^^^^^^^^^^^^ definition.method body, scope
    };

    private int sides;
    ^^^^^^^^^^^^^^^^^^ definition.field
                ^^^^^ definition.field name
}

record Point(double x, double y) {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (5 lines)
       ^^^^^ definition.class name
             ^^^^^^^^ definition.field
                    ^ definition.field name
                       ^^^^^^^^ definition.field
                              ^ definition.field name
                                 ^ definition.class body, scope (5 lines)
    Point {
    ^^^^^^^ definition.method, scope (3 lines)
    ^^^^^ definition.method name
          ^ definition.method body, scope (3 lines)
        check(x);
        ^^^^^^^^ reference.call
        ^^^^^ reference.call name
    }
}

@Tested(by = "hand")
^^^^^^^^^^^^^^^^^^^^ definition.class, scope (26 lines)
^^^^^^^^^^^^^^^^^^^^ reference.type
 ^^^^^^ reference.type name
@org.junit.Nested
^^^^^^^^^^^^^^^^^ reference.type
           ^^^^^^ reference.type name
public class Circle<T extends Number> extends Base implements Shape {
             ^^^^^^ definition.class name
                    ^ reference.type name
                              ^^^^^^ reference.type name
                                              ^^^^ reference.type name
                                                              ^^^^^ reference.type name
                                                                    ^ definition.class body, scope (24 lines)
    private static final int LIMIT = 64, MORE = 128;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                             ^^^^^ definition.field name
                                         ^^^^ definition.field name
    protected final geometry.Point center = new geometry.Point(0, 0);
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                    ^^^^^^^^ reference.type name
                             ^^^^^ reference.type name
                                   ^^^^^^ definition.field name
                                            ^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                                                ^^^^^^^^ reference.type name
                                                         ^^^^^ reference.call name

    public Circle(double radius) throws ShapeException {
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (4 lines)
           ^^^^^^ definition.method name
                                        ^^^^^^^^^^^^^^ reference.type name
                                                       ^ definition.method body, scope (4 lines)
        super(radius);
        this.names = new ArrayList<>();
                     ^^^^^^^^^^^^^^^^^ reference.call
                         ^^^^^^^^^ reference.call name
    }

    @Override
    ^^^^^^^^^ definition.method, scope (10 lines)
    ^^^^^^^^^ reference.type
     ^^^^^^^^ reference.type name
    public double area() {
                  ^^^^ definition.method name
                         ^ definition.method body, scope (9 lines)
        Function<Shape, Double> scale = Shape::area;
        ^^^^^^^^ reference.type name
                 ^^^^^ reference.type name
                        ^^^^^^ reference.type name
                                        ^^^^^^^^^^^ reference.call
                                               ^^^^ reference.call name
        switch (Kind.ROUND.sides()) {
                ^^^^^^^^^^^^^^^^^^ reference.call
                ^^^^ reference.type name
                           ^^^^^ reference.call name
                                    ^ scope (6 lines)
            case 0:
                throw new IllegalStateException("no sides");
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                          ^^^^^^^^^^^^^^^^^^^^^ reference.call name
            default:
                return PI * scale.apply((Shape) this);
                            ^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                                  ^^^^^ reference.call name
                                         ^^^^^ reference.type name
        }
    }

    @org.junit.Tag("fast")
    ^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (3 lines)
    ^^^^^^^^^^^^^^^^^^^^^^ reference.type
               ^^^ reference.type name
    class Inner {
          ^^^^^ definition.class name
                ^ definition.class body, scope (2 lines)
    }
}
