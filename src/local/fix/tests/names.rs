//! Names that are misspelt.

use super::check;

#[test]
fn misspelt_names_have_one_near_candidate() {
    let undefined = "undefined name `subtotl`";
    check(
        "python",
        "def f(a):\n    subtotal = a\n    return «subtotl»\n",
        undefined,
        &[],
        Some(("change `subtotl` to `subtotal`", "def f(a):\n    subtotal = a\n    return subtotal\n")),
    );
    // Another function's variable, a member and a keyword cannot be meant.
    check("python", "def g():\n    subtotal = 1\n\ndef f(a):\n    return «subtotl»\n", undefined, &[], None);
    check("python", "def f(a):\n    return a.subtotal + «subtotl»\n", undefined, &[], None);
    check("python", "def f(a):\n    return a(subtotal=1) + «subtotl»\n", undefined, &[], None);
    // Two are as near.
    check("python", "def f(subtota, subtotal):\n    return «subtotl»\n", undefined, &[], None);
    check(
        "javascript",
        "if (a) {\n  const subtotal = 1;\n}\nb(«subtotl»);\n",
        "'subtotl' is not defined.",
        &[],
        None,
    );
    // It is spelled as its library has it.
    check(
        "java",
        "class A {\n  «Error» x;\n  int error;\n}\n",
        "cannot find symbol\nsymbol: class Error",
        &[],
        None,
    );
}

#[test]
fn offers_of_the_tool_are_taken_if_there_is_one() {
    check(
        "typescript",
        "a.«balence»;\n",
        "Property 'balence' does not exist on type 'A'. Did you mean 'balance'?",
        &[],
        Some(("change `balence` to `balance`", "a.balance;\n")),
    );
    check(
        "python",
        "«x = a.uper() + upper»\n",
        "\"str\" has no attribute \"uper\"; maybe \"upper\"?",
        &[],
        Some(("change `uper` to `upper`", "x = a.upper() + upper\n")),
    );
    check(
        "python",
        "«a.uper»\n",
        "\"str\" has no attribute \"uper\"; maybe \"upper\" or \"super\"?",
        &[],
        None,
    );
    check("python", "«uper(uper)»\n", "name 'uper' is not defined. Did you mean: 'upper'?", &[], None);
    check(
        "c",
        "int f(struct a *b) { return b«.»c; }\n",
        "‘b’ is a pointer; did you mean to use ‘->’?",
        &[],
        Some(("change `.` to `->`", "int f(struct a *b) { return b->c; }\n")),
    );
}

#[test]
fn name_of_an_import_is_changed_wherever_it_is_used() {
    check(
        "python",
        "from collections import «OrderedDit»\n\na = OrderedDit()\nb.OrderedDit = 1\n# OrderedDit\n",
        "Module \"collections\" has no attribute \"OrderedDit\"; maybe \"OrderedDict\"?",
        &[],
        Some((
            "change `OrderedDit` to `OrderedDict`",
            "from collections import OrderedDict\n\na = OrderedDict()\nb.OrderedDit = 1\n# OrderedDit\n",
        )),
    );
}
