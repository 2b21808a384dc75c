// Package shapes knows a few shapes.
package shapes

import "errors"
^^^^^^^^^^^^^^^ import
        ^^^^^^ import path
import str "strings"
^^^^^^^^^^^^^^^^^^^^ import
       ^^^ import name
            ^^^^^^^ import path

import (
       ^ scope (6 lines)
	"fmt"
	^^^^^ import
	 ^^^ import path
	geometry "example.com/math/geometry"
	^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
	^^^^^^^^ import name
	          ^^^^^^^^^^^^^^^^^^^^^^^^^ import path
	. "math"
	^^^^^^^^ import
	   ^^^^ import path
	_ "embed"
	^^^^^^^^^ import
	   ^^^^^ import path
)

const Limit = 64
      ^^^^^^^^^^ definition.constant
      ^^^^^ definition.constant name

const (
	Small, Large = 1, 2
	^^^^^^^^^^^^^^^^^^^ definition.constant
	^^^^^ definition.constant name
	Huge Size    = iota
	^^^^^^^^^^^^^^^^^^^ definition.constant
	^^^^ definition.constant name
	     ^^^^ reference.type name
)

var count int
    ^^^^^^^^^ definition.variable
    ^^^^^ definition.variable name
          ^^^ reference.type name

var (
	names  = map[Kind][]Name{}
	^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
	^^^^^ definition.variable name
	             ^^^^ reference.type name
	                    ^^^^ reference.type name
	done   chan Signal
	^^^^^^^^^^^^^^^^^^ definition.variable
	^^^^ definition.variable name
	            ^^^^^^ reference.type name
	lookup map[string]Shape
	^^^^^^^^^^^^^^^^^^^^^^^ definition.variable
	^^^^^^ definition.variable name
	           ^^^^^^ reference.type name
	                  ^^^^^ reference.type name
)

type Size uint8
^^^^^^^^^^^^^^^ definition.type, scope
     ^^^^ definition.type name
          ^^^^^ reference.type name
type Alias = Size
^^^^^^^^^^^^^^^^^ scope
     ^^^^^^^^^^^^ definition.type
     ^^^^^ definition.type name
             ^^^^ reference.type name

// Shape is anything with an area.
type Shape interface {
^^^^^^^^^^^^^^^^^^^^^^ definition.interface, scope (5 lines)
     ^^^^^ definition.interface name
           ^^^^^^^^^^^ definition.interface body, scope (5 lines)
	Drawable
	^^^^^^^^ reference.type name
	Area() float64
	^^^^^^^^^^^^^^ definition.method
	^^^^ definition.method name
	       ^^^^^^^ reference.type name
	Scale(by float64) Shape
	^^^^^^^^^^^^^^^^^^^^^^^ definition.method
	^^^^^ definition.method name
	         ^^^^^^^ reference.type name
	                  ^^^^^ reference.type name
}

type Circle struct {
^^^^^^^^^^^^^^^^^^^^ definition.struct, scope (5 lines)
     ^^^^^^ definition.struct name
                   ^ definition.struct body, scope (5 lines)
	Base
	^^^^ reference.type name
	X, Y   float64
	^^^^^^^^^^^^^^ definition.field
	^ definition.field name
	   ^ definition.field name
	       ^^^^^^^ reference.type name
	center *geometry.Point
	^^^^^^^^^^^^^^^^^^^^^^ definition.field
	^^^^^^ definition.field name
	                 ^^^^^ reference.type name
}

type (
^^^^^^ scope (9 lines)
	Pair[T Number] struct {
	^^^^^^^^^^^^^^^^^^^^^^^ definition.struct (3 lines)
	^^^^ definition.struct name
	                      ^ definition.struct body, scope (3 lines)
		first, second T
		^^^^^^^^^^^^^^^ definition.field
		^^^^^ definition.field name
		       ^^^^^^ definition.field name
		              ^ reference.type name
	}
	Visitor interface {
	^^^^^^^^^^^^^^^^^^^ definition.interface (3 lines)
	^^^^^^^ definition.interface name
	        ^^^^^^^^^^^ definition.interface body, scope (3 lines)
		Visit(Shape) error
		^^^^^^^^^^^^^^^^^^ definition.method
		^^^^^ definition.method name
		      ^^^^^ reference.type name
		             ^^^^^ reference.type name
	}
	Handler func(Shape) error
	^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type
	^^^^^^^ definition.type name
	             ^^^^^ reference.type name
	                    ^^^^^ reference.type name
)

func (c *Circle) Area() float64 {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.method, scope (3 lines)
         ^^^^^^ reference.type name
                 ^^^^ definition.method name
                        ^^^^^^^ reference.type name
                                ^ definition.method body, scope (3 lines)
	return Pi * square(c.X)
	            ^^^^^^^^^^^ reference.call
	            ^^^^^^ reference.call name
}

func New(kind Kind, options ...Option) (*Circle, error) {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (8 lines)
     ^^^ definition.function name
              ^^^^ reference.type name
                               ^^^^^^ reference.type name
                                         ^^^^^^ reference.type name
                                                 ^^^^^ reference.type name
                                                        ^ definition.function body, scope (8 lines)
	switch kind {
	^^^^^^^^^^^^^ scope (6 lines)
	case Round:
		return &Circle{X: 1}, nil
		        ^^^^^^ reference.type name
	default:
		return nil, errors.New("unknown")
		            ^^^^^^^^^^^^^^^^^^^^^ reference.call
		                   ^^^ reference.call name
	}
}

func Map[T, U any](all []T, by func(T) U) []U {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (14 lines)
     ^^^ definition.function name
                         ^ reference.type name
                                    ^ reference.type name
                                       ^ reference.type name
                                            ^ reference.type name
                                              ^ definition.function body, scope (14 lines)
	pair := Pair[int]{first: 1}
	        ^^^^ reference.type name
	             ^^^ reference.type name
	for _, one := range all {
	                        ^ scope (3 lines)
		go func() { done <- Signal(by(one)) }()
		          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope
		                    ^^^^^^^^^^^^^^^ reference.call
		                    ^^^^^^ reference.call name
		                           ^^^^^^^ reference.call
		                           ^^ reference.call name
	}
	select {
	^^^^^^^^ scope (3 lines)
	case <-done:
	}
	switch v := any(pair).(type) {
	^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scope (4 lines)
	            ^^^^^^^^^ reference.call
	            ^^^ reference.call name
	case Shape:
	     ^^^^^ reference.type name
		fmt.Println(v.Area(), convert[Size](Limit))
		^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
		    ^^^^^^^ reference.call name
		            ^^^^^^^^ reference.call
		              ^^^^ reference.call name
		                      ^^^^^^^ reference.type name
		                              ^^^^ reference.type name
	}
	return nil
}

func external(x int) int
^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope
     ^^^^^^^^ definition.function name
                ^^^ reference.type name
                     ^^^ reference.type name
