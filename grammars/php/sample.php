<h1>Shapes</h1>
<?php

namespace App\Shapes;
^^^^^^^^^^^^^^^^^^^^^ definition.module
          ^^^^^^^^^^ definition.module name

use App\Math\Point;

const LIMIT = 64, MORE = 128;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.constant
      ^^^^^ definition.constant name
                  ^^^^ definition.constant name

interface Shape
^^^^^^^^^^^^^^^ definition.interface, scope (4 lines)
          ^^^^^ definition.interface name
{
^ definition.interface body, scope (3 lines)
    public function area(): float;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope
                    ^^^^ definition.method name
}

trait Named
^^^^^^^^^^^ definition.class, scope (4 lines)
      ^^^^^ definition.class name
{
^ definition.class body, scope (3 lines)
    protected ?string $name = null;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                      ^^^^^ definition.field name
}

enum Kind: string
^^^^^^^^^^^^^^^^^ definition.enum, scope (5 lines)
     ^^^^ definition.enum name
{
^ definition.enum body, scope (4 lines)
    case Round = 'round';
    ^^^^^^^^^^^^^^^^^^^^^ definition.field
         ^^^^^ definition.field name
    case Square = 'square';
    ^^^^^^^^^^^^^^^^^^^^^^^ definition.field
         ^^^^^^ definition.field name
}

final class Circle extends Base implements Shape
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (23 lines)
            ^^^^^^ definition.class name
{
^ definition.class body, scope (22 lines)
    use Named;

    public const UNIT = 'cm';
    ^^^^^^^^^^^^^^^^^^^^^^^^^ definition.constant
                 ^^^^ definition.constant name
    private static int $count = 0, $limit;
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
                       ^^^^^^ definition.field name
                                   ^^^^^^ definition.field name

    public function __construct(private float $radius)
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (4 lines)
                    ^^^^^^^^^^^ definition.method name
                                ^^^^^^^^^^^^^^^^^^^^^ definition.field
                                              ^^^^^^^ definition.field name
    {
    ^ definition.method body, scope (3 lines)
        self::$count++;
    }

    public function area(): float
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (10 lines)
                    ^^^^ definition.method name
    {
    ^ definition.method body, scope (9 lines)
        switch ($this->kind) {
                             ^ scope (4 lines)
            case Kind::Round:
                return M_PI * square($this->radius);
        }
        return match (true) {
                            ^ scope (3 lines)
            default => 0.0,
        };
    }
}

function square(float $x): float
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (7 lines)
         ^^^^^^ definition.function name
{
^ definition.function body, scope (6 lines)
    if ($x < 0):
               ^ scope (2 lines)
        $x = -$x;
    endif;
    return $x ** 2;
}
