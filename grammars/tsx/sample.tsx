import React, { useState, type FC } from "react";
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
       ^^^^^ import name
                ^^^^^^^^ import name
                               ^^ import name
                                          ^^^^^ import path
import { Layout } from "./layout";
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ import
         ^^^^^^ import name
                        ^^^^^^^^ import path

interface Props {
^^^^^^^^^^^^^^^^^ definition.interface, scope (5 lines)
          ^^^^^ definition.interface name
                ^ definition.interface body, scope (5 lines)
  title: string;
  ^^^^^^^^^^^^^ definition.field
  ^^^^^ definition.field name
  items: Item[];
  ^^^^^^^^^^^^^ definition.field
  ^^^^^ definition.field name
         ^^^^ reference.type name
  onOpen?: (item: Item) => void;
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
  ^^^^^^ definition.field name
                  ^^^^ reference.type name
}

type State = { open: boolean };
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.type, scope
     ^^^^^ definition.type name
             ^^^^^^^^^^^^^^^^^ scope
               ^^^^^^^^^^^^^ definition.field
               ^^^^ definition.field name

enum Mode {
^^^^^^^^^^^ definition.enum, scope (4 lines)
     ^^^^ definition.enum name
          ^ definition.enum body, scope (4 lines)
  List,
  ^^^^ definition.field name
  Grid = "grid",
  ^^^^^^^^^^^^^ definition.field
  ^^^^ definition.field name
}

const STEP = 8;
^^^^^^^^^^^^^^^ definition.constant
      ^^^^ definition.constant name

export const Title: FC<Props> = ({ title }) => <h1>{title}</h1>;
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function
             ^^^^^ definition.function name
                    ^^ reference.type name
                       ^^^^^ reference.type name
                                               ^^^^^^^^^^^^^^^^ definition.function body

export function Gallery({ items, onOpen }: Props) {
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (16 lines)
                ^^^^^^^ definition.function name
                                           ^^^^^ reference.type name
                                                  ^ definition.function body, scope (16 lines)
  const [mode, setMode] = useState<Mode>(Mode.List);
                          ^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                          ^^^^^^^^ reference.call name
                                   ^^^^ reference.type name
  function toggle() {
  ^^^^^^^^^^^^^^^^^^^ definition.function, scope (3 lines)
           ^^^^^^ definition.function name
                    ^ definition.function body, scope (3 lines)
    setMode(mode === Mode.List ? Mode.Grid : Mode.List);
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
    ^^^^^^^ reference.call name
  }
  return (
    <Layout.Main step={STEP}>
    ^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
            ^^^^ reference.call name
      <Title title="shapes" />
      ^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
       ^^^^^ reference.call name
      <ul onClick={toggle}>
        {items.map((item) => {
         ^^^^^^^^^^^^^^^^^^^^^ reference.call (3 lines)
               ^^^ reference.call name
                             ^ scope (3 lines)
          return <Card<Item> key={item.id} value={item} onOpen={onOpen} />;
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reference.call
                  ^^^^ reference.call name
                       ^^^^ reference.type name
        })}
      </ul>
    </Layout.Main>
  );
}

class Boundary extends React.Component<Props, State> {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.class, scope (7 lines)
      ^^^^^^^^ definition.class name
                       ^^^^^^^^^^^^^^^ reference.type
                             ^^^^^^^^^ reference.type name
                                       ^^^^^ reference.type name
                                              ^^^^^ reference.type name
                                                     ^ definition.class body, scope (7 lines)
  state: State = { open: false };
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ definition.field
  ^^^^^ definition.field name
         ^^^^^ reference.type name

  render() {
  ^^^^^^^^^^ definition.method, scope (3 lines)
  ^^^^^^ definition.method name
           ^ definition.method body, scope (3 lines)
    return this.props.children as JSX.Element;
                                      ^^^^^^^ reference.type name
  }
}
