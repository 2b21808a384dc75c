#include <vector>
^^^^^^^^^^^^^^^^^ import
         ^^^^^^^^ import path
#include "shapes.hpp"
^^^^^^^^^^^^^^^^^^^^^ import
          ^^^^^^^^^^ import path

using std::vector;
^^^^^^^^^^^^^^^^^^ import
      ^^^ import path
           ^^^^^^ import name
using namespace geometry;
^^^^^^^^^^^^^^^^^^^^^^^^^ import
                ^^^^^^^^ import path
using namespace std::literals;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
                ^^^^^^^^^^^^^ import path

#define LIMIT 64
^^^^^^^^^^^^^^^^ definition.constant
        ^^^^^ definition.constant name

namespace shapes {
^^^^^^^^^^^^^^^^^^ definition.module, scope (40 lines)
          ^^^^^^ definition.module name
                 ^ definition.module body, scope (40 lines)

constexpr int limit = 64;
^^^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
              ^^^^^ definition.variable name
extern int total;
^^^^^^^^^^^^^^^^^ definition.variable
           ^^^^^ definition.variable name

using Points = std::vector<Point>;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type
      ^^^^^^ definition.type name
                    ^^^^^^ reference.type name
                           ^^^^^ reference.type name

template <typename T>
^^^^^^^^^^^^^^^^^^^^^ scope (2 lines)
concept Measured = requires(T t) { t.area(); };
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.interface, scope
        ^^^^^^^^ definition.interface name
                            ^ reference.type name
                                   ^^^^^^^^ reference.call
                                     ^^^^ reference.call name

enum class Kind { Round, Square };
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.enum
           ^^^^ definition.enum name
                ^^^^^^^^^^^^^^^^^ definition.enum body, scope
                  ^^^^^ definition.field name
                         ^^^^^^ definition.field name

/// Anything with an area.
class Shape : public Drawable, private Base<Shape> {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class (21 lines)
      ^^^^^ definition.class name
                     ^^^^^^^^ reference.type name
                                       ^^^^ reference.type name
                                            ^^^^^ reference.type name
                                                   ^ definition.class body, scope (21 lines)
public:
    Shape();
    ^^^^^^^^ definition.method
    ^^^^^ definition.method name
    explicit Shape(int sides) : sides_(sides) { check(sides); }
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
             ^^^^^ definition.method name
                                              ^^^^^^^^^^^^^^^^^ definition.method body, scope
                                                ^^^^^^^^^^^^ reference.call
                                                ^^^^^ reference.call name
    Shape(const Shape &) = delete;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
    ^^^^^ definition.method name
                ^^^^^ reference.type name
    virtual ~Shape() = default;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
            ^^^^^^ definition.method name

    virtual double area() const = 0;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method
                   ^^^^ definition.method name
    Shape &next();
    ^^^^^^^^^^^^^^ definition.method
    ^^^^^ reference.type name
           ^^^^ definition.method name
    Shape &operator=(const Shape &other);
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method
    ^^^^^ reference.type name
           ^^^^^^^^^ definition.method name
                           ^^^^^ reference.type name
    bool operator==(const Shape &other) const { return sides_ == other.sides_; }
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
         ^^^^^^^^^^ definition.method name
                          ^^^^^ reference.type name
                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method body, scope
    Shape *last() { return parent_; }
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
    ^^^^^ reference.type name
           ^^^^ definition.method name
                  ^^^^^^^^^^^^^^^^^^^ definition.method body, scope

    template <typename V>
    ^^^^^^^^^^^^^^^^^^^^^ scope (2 lines)
    void visit(V visitor) { visitor.template on<Shape>(*this); }
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
         ^^^^^ definition.method name
               ^ reference.type name
                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method body, scope
                                                ^^^^^ reference.type name

private:
    int sides_ = 0;
    ^^^^^^^^^^^^^^^ definition.field
        ^^^^^^ definition.field name
    Shape *parent_;
    ^^^^^^^^^^^^^^^ definition.field
    ^^^^^ reference.type name
           ^^^^^^^ definition.field name
    Shape &owner_;
    ^^^^^^^^^^^^^^ definition.field
    ^^^^^ reference.type name
           ^^^^^^ definition.field name
};

struct Circle final : Shape {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.struct (3 lines)
       ^^^^^^ definition.struct name
                      ^^^^^ reference.type name
                            ^ definition.struct body, scope (3 lines)
    double radius;
    ^^^^^^^^^^^^^^ definition.field
           ^^^^^^ definition.field name
};

} // namespace shapes

int count = 0;
^^^^^^^^^^^^^^ definition.variable
    ^^^^^ definition.variable name
std::ostream &print(std::ostream &out);
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
     ^^^^^^^ reference.type name
              ^^^^^ definition.function name
                         ^^^^^^^ reference.type name
Vector operator+(Vector a, Vector b);
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
^^^^^^ reference.type name
       ^^^^^^^^^ definition.function name
                 ^^^^^^ reference.type name
                           ^^^^^^ reference.type name

shapes::Shape::Shape() {}
^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
        ^^^^^ reference.type name
               ^^^^^ definition.method name
                       ^^ definition.method body, scope

shapes::Shape::~Shape() {}
^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
        ^^^^^ reference.type name
               ^^^^^^ definition.method name
                        ^^ definition.method body, scope

Shape &Shape::next() {
^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (3 lines)
^^^^^ reference.type name
       ^^^^^ reference.type name
              ^^^^ definition.method name
                     ^ definition.method body, scope (3 lines)
    return *this;
}

double Circle::area() const {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (7 lines)
       ^^^^^^ reference.type name
               ^^^^ definition.method name
                            ^ definition.method body, scope (7 lines)
    auto square = [](double x) { return std::pow<double>(x, 2); };
                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope
                                        ^^^^^^^^^^^^^^^^^^^^^^ reference.call
                                             ^^^ reference.call name
    for (const auto &one : Shape::all()) {
                           ^^^^^^^^^^^^ reference.call
                           ^^^^^ reference.type name
                                  ^^^ reference.call name
                                         ^ scope (3 lines)
        one.visit(square);
        ^^^^^^^^^^^^^^^^^ reference.call
            ^^^^^ reference.call name
    }
    return std::numbers::pi * clamp<double>(square(radius));
                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                              ^^^^^ reference.call name
                                            ^^^^^^^^^^^^^^ reference.call
                                            ^^^^^^ reference.call name
}

std::ostream &print(std::ostream &out) {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (8 lines)
     ^^^^^^^ reference.type name
              ^^^^^ definition.function name
                         ^^^^^^^ reference.type name
                                       ^ definition.function body, scope (8 lines)
    Circle *circle = new Circle(std::chrono::now());
    ^^^^^^ reference.type name
                         ^^^^^^ reference.type name
                                ^^^^^^^^^^^^^^^^^^ reference.call
                                             ^^^ reference.call name
    switch (circle->sides()) {
            ^^^^^^^^^^^^^^^ reference.call
                    ^^^^^ reference.call name
                             ^ scope (4 lines)
    case 0:
        out << std::chrono::cast<Seconds>(circle->area());
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                            ^^^^ reference.call name
                                 ^^^^^^^ reference.type name
                                          ^^^^^^^^^^^^^^ reference.call
                                                  ^^^^ reference.call name
    }
    return out;
}

Vector operator+(Vector a, Vector b) {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (3 lines)
^^^^^^ reference.type name
       ^^^^^^^^^ definition.function name
                 ^^^^^^ reference.type name
                           ^^^^^^ reference.type name
                                     ^ definition.function body, scope (3 lines)
    return Vector{a.x + b.x};
           ^^^^^^ reference.type name
}
