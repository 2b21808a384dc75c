//! Tests on renamed names.

use super::*;

#[test]
fn a_renamed_parameter() {
    check(
        "rust",
        "fn area(«width|breadth»: u32) -> u32 {\n    let w = width * width;\n    println!(\"{width} {w}\");\n    w\n}\n\nfn other(width: u32) -> u32 {\n    width\n}\n",
        Some(
            "fn area(breadth: u32) -> u32 {\n    let w = breadth * breadth;\n    println!(\"{breadth} {w}\");\n    w\n}\n\nfn other(width: u32) -> u32 {\n    width\n}\n",
        ),
    );
    check(
        "python",
        "def area(«width|breadth»):\n    # the width\n    total = width * 2\n    return total + width\n",
        Some("def area(breadth):\n    # the width\n    total = breadth * 2\n    return total + breadth\n"),
    );
    check(
        "typescript",
        "function area(«width|breadth»: number) {\n  return { width, size: width * o.width };\n}\n",
        Some("function area(breadth: number) {\n  return { width: breadth, size: breadth * o.width };\n}\n"),
    );
    // The field of a shorthand was renamed, and the shorthand after it.
    check(
        "rust",
        "struct A {\n    «width|breadth»: u32,\n}\n\nfn new(width: u32) -> A {\n    A { «|breadth: »width }\n}\n\nimpl A {\n    fn f(&self) -> u32 {\n        self.width\n    }\n}\n",
        Some(
            "struct A {\n    breadth: u32,\n}\n\nfn new(width: u32) -> A {\n    A { breadth: width }\n}\n\nimpl A {\n    fn f(&self) -> u32 {\n        self.breadth\n    }\n}\n",
        ),
    );
    check("go", "package a\n\nfunc area(«width|_» int) int {\n\treturn width * p.width\n}\n", None);
    check(
        "go",
        "package a\n\nfunc area(«width|breadth» int) int {\n\treturn width * p.width\n}\n",
        Some("package a\n\nfunc area(breadth int) int {\n\treturn breadth * p.width\n}\n"),
    );
}

/// `‹…›` are the places that follow.
#[test]
fn parameter_is_followed_into_tags_and_lists_of_its_documentation() {
    let texts = [
        (
            "python",
            "def area(«width|breadth», height):\n    \"\"\"The width counts.\n\n    :param ‹width›: the width: of all\n    :type ‹width›: int\n    :param int height: not the width: it\n    \"\"\"\n    return ‹width› * height\n\n\ndef other(width):\n    \"\"\":param width: another\"\"\"\n",
        ),
        (
            "python",
            "def area(height, «width|breadth», depth):\n    '''Area.\n\n    Note:\n        width: no parameter\n\n    Args:\n        height (int): as the\n            width: its neighbour\n        ‹width› (int): The width\n\n    Returns:\n        width: a number\n    '''\n    return ‹width› * height\n",
        ),
        (
            "python",
            "def area(height, «width|breadth», depth):\n    \"\"\"Area of width.\n\n    Parameters\n    ----------\n    height : int\n        width : of it\n    depth, ‹width› : int\n        The width.\n\n    Returns\n    -------\n    width : int\n    \"\"\"\n    return ‹width› * height\n",
        ),
        (
            "typescript",
            "/** @param width another */\nfunction other(width: number) {}\n\n/**\n * The width.\n * @param {number} [‹width›=1] the width\n * @param height a width\n * @returns {number} width\n */\nexport const area = («width|breadth»: number, height: number) => {\n  return [‹width›].map((height) => height * ‹width›);\n};\n",
        ),
        (
            "java",
            "class A {\n    /**\n     * The width.\n     *\n     * @param ‹width› the width\n     */\n    @Override\n    int area(int «width|breadth») {\n        return ‹width›;\n    }\n}\n",
        ),
        (
            "rust",
            "/// The width.\n///\n/// # Arguments\n///\n/// * `‹width›` - the `width`\n///\n/// # Errors\n///\n/// * `width` - too large\n#[inline]\nfn area(«width|breadth»: u32) -> u32 {\n    ‹width›\n}\n",
        ),
        ("c", "/**\n * \\param[in] ‹width› The width\n */\nint area(int «width|breadth»);\n"),
        (
            "csharp",
            "class A\n{\n    /// <summary>The width.</summary>\n    /// <param name=\"‹width›\">The width</param>\n    int Area(int «width|breadth») => ‹width›;\n}\n",
        ),
        (
            "php",
            "<?php\n/**\n * @param int $‹width› the $width\n */\nfunction area(int $«width|breadth») {\n    return $‹width›;\n}\n",
        ),
        ("ruby", "# @param ‹width› [Integer] the width\ndef area(«width|breadth»)\n  ‹width›\nend\n"),
    ];
    for (language, text) in texts {
        let (old, new) = ("«width|breadth»", "breadth");
        let expected = text.replace(old, new).replace("‹width›", new);
        check(language, &text.replace(['‹', '›'], ""), Some(&expected));
    }
}

/// The name of an inner function's parameter is not that of the outer one, whose documentation this is.
#[test]
fn parameter_of_an_inner_function_is_not_followed_into_the_documentation_of_the_outer_one() {
    check(
        "javascript",
        "/** @param {number} width */\nfunction f(width) { return [1].map((«width|breadth») => width + 1); }\n",
        Some(
            "/** @param {number} width */\nfunction f(width) { return [1].map((breadth) => breadth + 1); }\n",
        ),
    );
}

/// A sentence of a comment ends with a dot, like the code before a member.
#[test]
fn use_below_a_comment_is_no_member() {
    for (language, comment, set) in [("python", "#", "width = 2"), ("javascript", "//", "width = 2;")] {
        let text = |name: &str, set: &str| match language {
            "python" => {
                format!("def f({name}):\n    {comment} No width.\n    {set}\n    return {name} + 1\n")
            }
            _ => format!("function f({name}) {{\n  {comment} No width.\n  {set}\n  return {name} + 1;\n}}\n"),
        };
        let marked = text("width", set).replacen("width", "«width|breadth»", 1);
        check(language, &marked, Some(&text("breadth", &set.replace("width", "breadth"))));
    }
}

#[test]
fn a_renamed_function_or_type() {
    check(
        "rust",
        "fn «load|read_orders»() {}\n\nfn main() {\n    load();\n    self::load();\n    other::load();\n    x.load();\n}\n",
        Some(
            "fn read_orders() {}\n\nfn main() {\n    read_orders();\n    self::read_orders();\n    other::load();\n    x.load();\n}\n",
        ),
    );
    check(
        "java",
        "class A {\n    int «countOrders|orderCount»() { return 1; }\n    int twice() { return 2 * countOrders() + this.countOrders(); }\n}\n",
        Some(
            "class A {\n    int orderCount() { return 1; }\n    int twice() { return 2 * orderCount() + this.orderCount(); }\n}\n",
        ),
    );
    check(
        "rust",
        "struct «Shape|Figure» {}\n\nimpl Shape {\n    fn new() -> Shape {\n        Shape {}\n    }\n}\n",
        Some("struct Figure {}\n\nimpl Figure {\n    fn new() -> Figure {\n        Figure {}\n    }\n}\n"),
    );
}

#[test]
fn a_renamed_member() {
    check(
        "rust",
        "struct A {\n    «unit_price|price»: u32,\n}\n\nfn f(a: A, unit_price: u32) -> A {\n    g(a.unit_price, unit_price);\n    A { unit_price: 1 }\n}\n\nfn h(unit_price: u32) -> A {\n    A { unit_price }\n}\n",
        Some(
            "struct A {\n    price: u32,\n}\n\nfn f(a: A, unit_price: u32) -> A {\n    g(a.price, unit_price);\n    A { price: 1 }\n}\n\nfn h(unit_price: u32) -> A {\n    A { price: unit_price }\n}\n",
        ),
    );
    // Any type may have a `len`.
    check(
        "rust",
        "impl A {\n    fn «len|size»(&self) -> usize {\n        self.items.len()\n    }\n    fn is_empty(&self) -> bool {\n        self.len() == 0\n    }\n}\n",
        Some(
            "impl A {\n    fn size(&self) -> usize {\n        self.items.len()\n    }\n    fn is_empty(&self) -> bool {\n        self.size() == 0\n    }\n}\n",
        ),
    );
}

#[test]
fn renames_that_are_not_certain() {
    // The new name exists, another thing has the old name, or a use or a value was exchanged.
    check("rust", "fn f(«a|total»: u8, total: u8) -> u8 {\n    a + total\n}\n", None);
    check("rust", "fn f() {\n    let «a|b» = 1;\n    let a = 2;\n    g(a);\n}\n", None);
    check("rust", "fn f(a: u8, b: u8) -> u8 {\n    g(«a|b»);\n    h(a)\n}\n", None);
    check("rust", "fn f() {\n    let a = «1|2»;\n    let b = 1;\n}\n", None);
    check("rust", "fn f(«a|abc»: u8) {}\n", None);
    check("python", "# «first|second» of all\nfirst = 1\n", None);
    // The old name is now a function.
    check(
        "go",
        "package a\n\nfunc f(v int, «min int) int { return v }|least int) int { return min(v, 1) }»\n\nfunc g() int { return min(1, 2) }\n",
        None,
    );
    // A use beside the declaration.
    check(
        "javascript",
        "const area = («width|breadth») => width * 2;\n",
        Some("const area = (breadth) => breadth * 2;\n"),
    );
}

#[test]
fn a_keyword_of_another_language_is_a_name() {
    check("python", "def f(«name|var»):\n    return name + 1\n", Some("def f(var):\n    return var + 1\n"));
    check("python", "def f(«end|stop»):\n    return end + 1\n", Some("def f(stop):\n    return stop + 1\n"));
    check("rust", "fn f(«last|end»: u8) -> u8 {\n    last\n}\n", Some("fn f(end: u8) -> u8 {\n    end\n}\n"));
    check(
        "go",
        "package a\n\nfunc f(«fresh|new» int) int {\n\treturn fresh\n}\n",
        Some("package a\n\nfunc f(new int) int {\n\treturn new\n}\n"),
    );
    // Keywords of the language itself.
    check("rust", "fn f(«last|mut»: u8) -> u8 {\n    last\n}\n", None);
    check("javascript", "function f(«last|var») {\n  return last;\n}\n", None);
    check("javascript", "«var|let» a = 1;\nvar b = a;\n", None);
}

#[test]
fn a_wrapper_calls_what_it_wraps() {
    check(
        "go",
        "package a\n\nfunc f() {\n\tg(«old|fresh»(1))\n\tg(«old|fresh»(2))\n\tg(old(3))\n}\n\nfunc fresh(n int) int {\n\treturn g(old(n))\n}\n",
        Some(
            "package a\n\nfunc f() {\n\tg(fresh(1))\n\tg(fresh(2))\n\tg(fresh(3))\n}\n\nfunc fresh(n int) int {\n\treturn g(old(n))\n}\n",
        ),
    );
}

#[test]
fn a_method_that_another_type_has_too() {
    check(
        "rust",
        "impl A {\n    fn «matches_into|find_matches»(&self) {}\n}\n\nimpl B {\n    fn matches_into(&self) {}\n}\n\nfn f(b: B) {\n    b.matches_into();\n}\n",
        None,
    );
}

#[test]
fn members_of_two_types_are_told_apart_by_their_objects() {
    check(
        "typescript",
        "class Cart {\n  «total|gross»() {\n    return this.total();\n  }\n}\n\nclass Bill {\n  total() {\n    return this.total();\n  }\n}\n\nfunction f(cart: Cart, bill: Bill) {\n  return cart.total() + bill.total();\n}\n",
        Some(
            "class Cart {\n  gross() {\n    return this.gross();\n  }\n}\n\nclass Bill {\n  total() {\n    return this.total();\n  }\n}\n\nfunction f(cart: Cart, bill: Bill) {\n  return cart.gross() + bill.total();\n}\n",
        ),
    );
    check(
        "go",
        "package a\n\ntype Cart struct {\n\t«Items|Lines» int\n}\n\ntype Bill struct {\n\tItems int\n}\n\nfunc f(c *Cart, b *Bill) Bill {\n\treturn Bill{Items: c.Items + b.Items}\n}\n",
        Some(
            "package a\n\ntype Cart struct {\n\tLines int\n}\n\ntype Bill struct {\n\tItems int\n}\n\nfunc f(c *Cart, b *Bill) Bill {\n\treturn Bill{Items: c.Lines + b.Items}\n}\n",
        ),
    );
    // One object is of an unknown type.
    check(
        "python",
        "class Cart:\n    def «total|gross»(self):\n        pass\n\n\nclass Bill:\n    def total(self):\n        pass\n\n\ndef f(cart: Cart, bill):\n    return cart.total() + bill.total()\n",
        None,
    );
    // Both are what the trait, or the base, requires.
    check(
        "rust",
        "impl Shape for A {\n    fn «area|size»(&self) {}\n}\n\nimpl Shape for B {\n    fn area(&self) {}\n}\n\nfn f(a: A) {\n    a.area();\n}\n",
        None,
    );
    check(
        "python",
        "class A(Base):\n    def «area|size»(self):\n        pass\n\n\nclass B(Base):\n    def area(self):\n        pass\n\n\nA().area()\n",
        None,
    );
}

#[test]
fn fields_are_followed_through_typed_objects() {
    check(
        "typescript",
        "interface User {\n  «name|title»: string;\n}\n\nfunction f(user: User, other: any) {\n  const { name } = user;\n  const { name: n } = user;\n  return name + user.name + other.name;\n}\n",
        Some(
            "interface User {\n  title: string;\n}\n\nfunction f(user: User, other: any) {\n  const { title: name } = user;\n  const { title: n } = user;\n  return name + user.title + other.name;\n}\n",
        ),
    );
}

#[test]
fn methods_are_followed_through_objects_of_their_class() {
    check(
        "ruby",
        "class Cart\n  def «total|gross»\n    1\n  end\nend\n\ncart = Cart.new(1)\nputs cart.total + bill.total\n",
        Some(
            "class Cart\n  def gross\n    1\n  end\nend\n\ncart = Cart.new(1)\nputs cart.gross + bill.total\n",
        ),
    );
}

#[test]
fn variable_of_an_object_is_declared_in_its_constructor() {
    check(
        "python",
        "class Cart:\n    def __init__(self, items):\n        self.«items|lines» = items\n        self.count = len(self.items)\n\n    def add(self, other):\n        self.items.append(other.items)\n\n\nclass Sub(Cart):\n    def first(self):\n        return self.items[0]\n\n\nclass Bill:\n    def __init__(self, items):\n        self.items = items\n\n\ndef f(cart: Cart, bill: Bill):\n    return cart.items + bill.items\n",
        Some(
            "class Cart:\n    def __init__(self, items):\n        self.lines = items\n        self.count = len(self.lines)\n\n    def add(self, other):\n        self.lines.append(other.items)\n\n\nclass Sub(Cart):\n    def first(self):\n        return self.lines[0]\n\n\nclass Bill:\n    def __init__(self, items):\n        self.items = items\n\n\ndef f(cart: Cart, bill: Bill):\n    return cart.lines + bill.items\n",
        ),
    );
    check(
        "javascript",
        "class Cart {\n  constructor(items) {\n    this.«items|lines» = items;\n  }\n\n  add(all) {\n    all.forEach(() => this.items.pop());\n    all.forEach(function () {\n      this.items = 1;\n    });\n  }\n}\n",
        Some(
            "class Cart {\n  constructor(items) {\n    this.lines = items;\n  }\n\n  add(all) {\n    all.forEach(() => this.lines.pop());\n    all.forEach(function () {\n      this.items = 1;\n    });\n  }\n}\n",
        ),
    );
    let python = |first: &str, rest: &str| {
        let head =
            format!("class Cart:\n    def __init__(self, items):\n{first}        self.«items|lines» = 1\n\n");
        check("python", &format!("{head}    def f(self):\n        return {rest}self.items\n"), None);
    };
    // It has another value there, is a property as well, or is named as text.
    python("        self.items = items\n", "");
    python("", "getattr(self, 'items') + ");
    python("", "1\n\n    def items(self):\n        return ");
    // Elsewhere an assignment declares nothing.
    check(
        "python",
        "class Cart:\n    def f(self):\n        self.«items|lines» = 1\n\n    def g(self):\n        return self.items\n",
        None,
    );
}

#[test]
fn names_by_which_a_module_exports_follow() {
    check(
        "javascript",
        "function «load|read»() {}\n\nmodule.exports = { load, get: load };\nexports.load = load;\nexports.load = other;\nlocal = { load };\n",
        Some(
            "function read() {}\n\nmodule.exports = { read, get: read };\nexports.read = read;\nexports.load = other;\nlocal = { load: read };\n",
        ),
    );
    check(
        "python",
        "__all__ = [\"load\", 'load_all']\n\n\ndef «load|read»():\n    return \"load\"\n",
        Some("__all__ = [\"read\", 'load_all']\n\n\ndef read():\n    return \"load\"\n"),
    );
}

#[test]
fn arguments_of_types_are_followed() {
    check(
        "typescript",
        "class «Box|Crate»<T> {}\n\nfunction f(all: Box<number>): Map<string, Box<Box<string>>> {\n  return new Box<Box<string>>();\n}\n",
        Some(
            "class Crate<T> {}\n\nfunction f(all: Crate<number>): Map<string, Crate<Crate<string>>> {\n  return new Crate<Crate<string>>();\n}\n",
        ),
    );
}

#[test]
fn import_of_another_thing_from_elsewhere_renames_nothing() {
    let test = "\ntest(\"a\", () => {});\n";
    check(
        "typescript",
        &format!("import {{ «test|zone» }} from \"vitest\";\n{test}"),
        Some("import { zone } from \"vitest\";\n\nzone(\"a\", () => {});\n"),
    );
    check(
        "typescript",
        &format!("«import {{ test }} from \"vitest\";|import {{ zone }} from \"zones\";»\n{test}"),
        None,
    );
}
