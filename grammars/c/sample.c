#include <stdio.h>
^^^^^^^^^^^^^^^^^^ import
         ^^^^^^^^^ import path
#include "shapes.h"
^^^^^^^^^^^^^^^^^^^ import
          ^^^^^^^^ import path

#define SHAPES_IMPLEMENTATION
#define LIMIT 64
^^^^^^^^^^^^^^^^ definition.constant
        ^^^^^ definition.constant name
#define SQUARE(x) ((x) * (x))
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.macro
        ^^^^^^ definition.macro name

typedef unsigned int size;
^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type
                     ^^^^ definition.type name
typedef double (*measure)(struct shape *);
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type
                 ^^^^^^^ definition.type name
                                 ^^^^^ reference.type name
typedef char *string, name[16];
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type
              ^^^^^^ definition.type name
                      ^^^^ definition.type name

struct point {
^^^^^^^^^^^^^^ definition.struct (5 lines)
       ^^^^^ definition.struct name
             ^ definition.struct body, scope (5 lines)
    double x, y;
    ^^^^^^^^^^^^ definition.field
           ^ definition.field name
              ^ definition.field name
    struct point *next;
    ^^^^^^^^^^^^^^^^^^^ definition.field
           ^^^^^ reference.type name
                  ^^^^ definition.field name
    char label[8];
    ^^^^^^^^^^^^^^ definition.field
         ^^^^^ definition.field name
};

typedef struct {
^^^^^^^^^^^^^^^^ definition.struct (3 lines)
               ^ definition.struct body, scope (3 lines)
    int sides;
    ^^^^^^^^^^ definition.field
        ^^^^^ definition.field name
} polygon;
  ^^^^^^^ definition.struct name

typedef enum { SMALL, LARGE = 2 } scale;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.enum
             ^^^^^^^^^^^^^^^^^^^^ definition.enum body, scope
               ^^^^^ definition.field name
                      ^^^^^^^^^ definition.field
                      ^^^^^ definition.field name
                                  ^^^^^ definition.enum name

union bits {
^^^^^^^^^^^^ definition.struct (3 lines)
      ^^^^ definition.struct name
           ^ definition.struct body, scope (3 lines)
    unsigned whole;
    ^^^^^^^^^^^^^^^ definition.field
             ^^^^^ definition.field name
};

enum kind {
^^^^^^^^^^^ definition.enum (4 lines)
     ^^^^ definition.enum name
          ^ definition.enum body, scope (4 lines)
    ROUND,
    ^^^^^ definition.field name
    SQUARED = 4,
    ^^^^^^^^^^^ definition.field
    ^^^^^^^ definition.field name
};

static int count = 0;
^^^^^^^^^^^^^^^^^^^^^ definition.variable
           ^^^^^ definition.variable name
extern const char *version;
^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
                   ^^^^^^^ definition.variable name
polygon all[LIMIT], *first, fallback;
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
^^^^^^^ reference.type name
        ^^^ definition.variable name
                     ^^^^^ definition.variable name
                            ^^^^^^^^ definition.variable name
const char *names[] = {"circle", "square"};
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
            ^^^^^ definition.variable name
char *title = "shapes";
^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
      ^^^^^ definition.variable name
double table[] = {1.0};
^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
       ^^^^^ definition.variable name

#ifdef SHAPES_DEBUG
int verbose;
^^^^^^^^^^^^ definition.variable
    ^^^^^^^ definition.variable name
char *log_path, log_line[80];
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
      ^^^^^^^^ definition.variable name
                ^^^^^^^^ definition.variable name
#endif

double area(const struct point *center, enum kind kind);
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
       ^^^^ definition.function name
                         ^^^^^ reference.type name
                                             ^^^^ reference.type name
char *describe(polygon p);
^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
      ^^^^^^^^ definition.function name
               ^^^^^^^ reference.type name
union bits **all_bits(void);
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
      ^^^^ reference.type name
             ^^^^^^^^ definition.function name

/* How large it is. */
double area(const struct point *center, enum kind kind)
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (9 lines)
       ^^^^ definition.function name
                         ^^^^^ reference.type name
                                             ^^^^ reference.type name
{
^ definition.function body, scope (8 lines)
    switch (kind) {
                  ^ scope (6 lines)
    case ROUND:
        return SQUARE(center->x);
               ^^^^^^^^^^^^^^^^^ reference.call
               ^^^^^^ reference.call name
    default:
        return ((polygon *)center)->sides * measure_of(sizeof(size));
                 ^^^^^^^ reference.type name
                                            ^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                                            ^^^^^^^^^^ reference.call name
    }
}

char *describe(polygon p)
^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (7 lines)
      ^^^^^^^^ definition.function name
               ^^^^^^^ reference.type name
{
^ definition.function body, scope (6 lines)
    for (int i = 0; i < p.sides; i++) {
                                      ^ scope (3 lines)
        p.visit(i);
        ^^^^^^^^^^ reference.call
          ^^^^^ reference.call name
    }
    return title;
}

union bits **all_bits(void)
^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (4 lines)
      ^^^^ reference.type name
             ^^^^^^^^ definition.function name
{
^ definition.function body, scope (3 lines)
    return NULL;
}
