using System;

namespace Shapes.Flat;
^^^^^^^^^^^^^^^^^^^^^^ definition.module
          ^^^^^^^^^^^ definition.module name

public delegate double Measure(IShape shape);
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type
                       ^^^^^^^ definition.type name

/// <summary>Anything with an area.</summary>
public interface IShape
^^^^^^^^^^^^^^^^^^^^^^^ definition.interface, scope (6 lines)
                 ^^^^^^ definition.interface name
{
^ definition.interface body, scope (5 lines)
    double Area { get; }
    ^^^^^^^^^^^^^^^^^^^^ definition.field, scope
           ^^^^ definition.field name
                ^^^^^^^^ definition.field body, scope

    string Describe() => $"area {Area}";
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
           ^^^^^^^^ definition.method name
                      ^^^^^^^^^^^^^^^^^ definition.method body
}

public enum Kind
^^^^^^^^^^^^^^^^ definition.enum, scope (5 lines)
            ^^^^ definition.enum name
{
^ definition.enum body, scope (4 lines)
    Round,
    ^^^^^ definition.field name
    Square = 4,
    ^^^^^^^^^^ definition.field
    ^^^^^^ definition.field name
}

public record Point(double X, double Y);
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope
              ^^^^^ definition.class name

public readonly struct Size
^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.struct, scope (4 lines)
                       ^^^^ definition.struct name
{
^ definition.struct body, scope (3 lines)
    public readonly int Width, Height;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                        ^^^^^ definition.field name
                               ^^^^^^ definition.field name
}

public class Circle : Base, IShape
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (35 lines)
             ^^^^^^ definition.class name
{
^ definition.class body, scope (34 lines)
    private const int Limit = 64;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.constant
                      ^^^^^ definition.constant name
    private static int count = 0;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                       ^^^^^ definition.field name
    public event EventHandler Changed;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                              ^^^^^^^ definition.field name

    public Circle(double radius)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (4 lines)
           ^^^^^^ definition.method name
    {
    ^ definition.method body, scope (3 lines)
        Radius = radius;
    }

    ~Circle()
    ^^^^^^^^^ definition.method, scope (4 lines)
     ^^^^^^ definition.method name
    {
    ^ definition.method body, scope (3 lines)
        count--;
    }

    public double Radius { get; private set; } = 1;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field, scope
                  ^^^^^^ definition.field name
                         ^^^^^^^^^^^^^^^^^^^^^ definition.field body, scope
    public double Area => Math.PI * Radius * Radius;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field, scope
                  ^^^^ definition.field name

    public string Name(Kind kind)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (15 lines)
                  ^^^^ definition.method name
    {
    ^ definition.method body, scope (14 lines)
        int Sides(Kind of) => of switch
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (5 lines)
            ^^^^^ definition.function name
                           ^^^^^^^^^^^^ definition.function body (5 lines)
                              ^^^^^^^^^ scope (5 lines)
        {
            Kind.Round => 0,
            _ => 4,
        };
        switch (kind)
        {
        ^ scope (6 lines)
            case Kind.Round:
                return "circle";
            default:
                return Sides(kind).ToString();
        }
    }
}

namespace Inner
^^^^^^^^^^^^^^^ definition.module, scope (4 lines)
          ^^^^^ definition.module name
{
^ definition.module body, scope (3 lines)
    class Empty { }
    ^^^^^^^^^^^^^^^ definition.class, scope
          ^^^^^ definition.class name
                ^^^ definition.class body, scope
}
