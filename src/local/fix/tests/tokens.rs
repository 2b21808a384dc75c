//! Missing tokens and braces.

use super::check;

#[test]
fn missing_tokens() {
    check(
        "rust",
        "fn f() {\n    let a = 1 // one\n    «let» b = 2;\n}\n",
        "expected `;`, found keyword `let`",
        &[],
        Some(("add the missing `;`", "fn f() {\n    let a = 1; // one\n    let b = 2;\n}\n")),
    );
    check(
        "python",
        "def f(a)«»\n    return a\n",
        "expected ':'",
        &[],
        Some(("add the missing `:`", "def f(a):\n    return a\n")),
    );
    check(
        "python",
        "x = f«(»\"a\"\ny = 3\n",
        "\"(\" was never closed",
        &[],
        Some(("add the missing `)`", "x = f(\"a\")\ny = 3\n")),
    );
    // `f(1), 2` and `f(a) + b` are valid, too.
    check("python", "x = f«(»1, 2\ny = 3\n", "\"(\" was never closed", &[], None);
    check("python", "x = f«(»a + b\ny = 3\n", "\"(\" was never closed", &[], None);
    // As are `sizeof(b) < c` and `(b) => {`.
    check(
        "c",
        "void f(void) {\n  check(a * sizeof(b < c,\n        \"d\")«;»\n}\n",
        "expected ')'",
        &[],
        None,
    );
    check("typescript", "const a = f(\n  (b =>\n    c(b)\n)«;»\n", "')' expected.", &[], None);
    check(
        "typescript",
        "const a = f(\n  [\n    1,\n  ]«;»\n",
        "')' expected.",
        &[],
        Some(("add the missing `)`", "const a = f(\n  [\n    1,\n  ]);\n")),
    );
    check(
        "typescript",
        "const a = [1, 2«;»\nconst b = 3;\n",
        "']' expected.",
        &[],
        Some(("add the missing `]`", "const a = [1, 2];\nconst b = 3;\n")),
    );
    check(
        "go",
        "package a\n\nfunc f() {\n\tg(1\n«}»\n",
        "missing ',' before newline in argument list",
        &[],
        None,
    );
    check(
        "rust",
        "fn f() {\n    a b«;»\n}\n",
        "expected one of `.`, `;`, `?`, `}`, or an operator, found `b`",
        &[],
        None,
    );
    check("rust", "fn f() {\n    g(«1»);\n}\n", "expected `;`", &[], None);
}

#[test]
fn comma_between_arguments() {
    for (language, text, said) in [
        (
            "rust",
            "fn f() {\n    a.g(b «\"c\"»);\n}\n",
            "expected one of `)`, `,`, `.`, `?`, or an operator, found `\"c\"`",
        ),
        (
            "go",
            "package a\n\nfunc f() {\n\tg(b «\"c\"»)\n}\n",
            "syntax error: unexpected literal \"c\" in argument list; possibly missing comma or )",
        ),
        ("c", "void f(void) {\n  g(b «2»);\n}\n", "expected ‘)’ before numeric constant"),
    ] {
        let mended = text.replace(" «", ", ").replace('»', "");
        check(language, text, said, &[], Some(("add the missing `,`", &mended)));
    }
    // The message does not indicate a list.
    let said = "expected one of `!`, `.`, `::`, `;`, `?`, `{`, `}`, or an operator, found `b`";
    check("rust", "fn f() {\n    a «b»;\n}\n", said, &[], None);
}

#[test]
fn dot_or_operator_may_be_missing_where_a_comma_fits() {
    let said = "expected ‘)’ before ‘c’";
    for arguments in ["b «c»", "b  «2»", "\"b\" «\"c\"»"] {
        check("c", &format!("void f(void) {{\n  g({arguments});\n}}\n"), said, &[], None);
    }
    let said = "\"(\" was not closed";
    check("python", "def f(it):\n    it.key = 1\n    return g«(»it key)\n", said, &[], None);
}

#[test]
fn head_is_not_closed_above_the_next_statement() {
    let said = "expected ‘)’ before ‘g’";
    check("c", "void f(int a) {\n  if (a\n  «g»(a);\n}\n", said, &[], None);
    check("javascript", "function f(a) {\n  while (a\n  «g»(a);\n}\n", "')' expected.", &[], None);
    let closed = "void f(int a) {\n  if (a)\n    g(a);\n}\n";
    let mended = Some(("add the missing `)`", closed));
    check("c", "void f(int a) {\n  if (a\n    «g»(a);\n}\n", said, &[], mended);
}

#[test]
fn token_that_leaves_errors_is_not_inserted() {
    // A brace is missing, not the semicolon that the compiler expects.
    let said = "';' expected";
    for above in ["", "  int since;\n", "  void b() {}\n\n", "  int since;\n\n  // Since then.\n"] {
        for head in ["int a()", "public static int a(int b)", "int a(int b, int c)"] {
            for below in ["    return 1;\n", "\n    int d = 1;\n    return d;\n"] {
                let marked = format!("class A {{\n{above}  {head}«»\n{below}  }}\n}}\n");
                let fixed = marked.replace("«»", " {");
                check("java", &marked, said, &[], Some(("add the missing `{`", &fixed)));
            }
        }
    }
    check("java", "class A {\n  int getSince«»() {\n    return 1\n  }\n  int b( {\n}\n", said, &[], None);
    // An error in another definition does not matter.
    check(
        "rust",
        "fn f() {\n    let a = 1\n    «let» b = 2;\n}\n\nfn g( {}\n\nfn h() {}\n",
        "expected `;`, found keyword `let`",
        &[],
        Some((
            "add the missing `;`",
            "fn f() {\n    let a = 1;\n    let b = 2;\n}\n\nfn g( {}\n\nfn h() {}\n",
        )),
    );
}

#[test]
fn bracket_between_two_names() {
    check(
        "python",
        "def f(nodes):\n    return «tuplenodes)\n»\n\ndef g(a):\n    return tuple(a)\n",
        "\"tuplenodes\" is not defined",
        &[],
        Some((
            "add the missing `(`",
            "def f(nodes):\n    return tuple(nodes)\n\n\ndef g(a):\n    return tuple(a)\n",
        )),
    );
    check(
        "go",
        "package a\n\nfunc f(src []byte) int {\n\tg(lensrc«)»)\n\treturn len(src)\n}\n",
        "syntax error: unexpected ) at end of statement",
        &[],
        Some((
            "add the missing `(`",
            "package a\n\nfunc f(src []byte) int {\n\tg(len(src))\n\treturn len(src)\n}\n",
        )),
    );
    // The two names are not known, or the brackets belong to the single name.
    check("python", "def f(nodes):\n    return «listnodes»)\n", "\"listnodes\" is not defined", &[], None);
    let text = "def f(nodes, tuple):\n    return «tuplenodes»\n";
    check("python", text, "\"tuplenodes\" is not defined", &[], None);
}

#[test]
fn opening_token_is_inserted_where_the_compiler_expects_it() {
    check(
        "c",
        "int f(int a) {\n  if «a» > 0) {\n    return 1;\n  }\n  return 0;\n}\n",
        "expected ‘(’ before ‘a’",
        &[],
        Some(("add the missing `(`", "int f(int a) {\n  if (a > 0) {\n    return 1;\n  }\n  return 0;\n}\n")),
    );
    check(
        "go",
        "package a\n\nfunc f(a int) {\n\tfor a > 0«»\n\t\ta--\n\t}\n}\n",
        "syntax error: unexpected newline, expecting { after for clause",
        &[],
        Some(("add the missing `{`", "package a\n\nfunc f(a int) {\n\tfor a > 0 {\n\t\ta--\n\t}\n}\n")),
    );
    // The line above the block has another indentation.
    check(
        "go",
        "package a\n\nfunc f(a int) {\n\t\tfor a > 0«»\n\t\ta--\n\t}\n}\n",
        "syntax error: unexpected newline, expecting { after for clause",
        &[],
        None,
    );
}

#[test]
fn closing_token_is_inserted_within_its_line() {
    check(
        "python",
        "def f«(»a, b:\n    return a\n",
        "\"(\" was not closed",
        &[],
        Some(("add the missing `)`", "def f(a, b):\n    return a\n")),
    );
    check(
        "c",
        "int f(int a) {\n  if (a) { g(); return 42«»}\n  return 0;\n}\n",
        "expected ‘;’ before ‘}’ token",
        &[],
        Some(("add the missing `;`", "int f(int a) {\n  if (a) { g(); return 42;}\n  return 0;\n}\n")),
    );
    // `len(a) == 1` and `len(a == 1)` are both valid.
    check("python", "if len«(»a == 1:\n    f()\n", "\"(\" was not closed", &[], None);
}

#[test]
fn braces_are_closed_where_the_indentation_ends() {
    check(
        "rust",
        "fn f(n: i32) {\n    if n < 0 {\n        g();\n    h();\n}\n\nfn k() {}\n«»",
        "this file contains an unclosed delimiter",
        &[],
        Some((
            "add the missing `}`",
            "fn f(n: i32) {\n    if n < 0 {\n        g();\n    }\n    h();\n}\n\nfn k() {}\n",
        )),
    );
    check(
        "typescript",
        "class A {\n  f() {\n    g();\n  }\n«»",
        "'}' expected.",
        &[],
        Some(("add the missing `}`", "class A {\n  f() {\n    g();\n  }\n}\n")),
    );
    // Two braces are missing, or the indentation shows nothing.
    check("rust", "fn f() {\n    if a {\n        if b {\n    g();\n}\n«»", "unclosed delimiter", &[], None);
    check("rust", "fn f() {\nif a {\ng();\n}\n«»", "unclosed delimiter", &[], None);
}

#[test]
fn comma_between_entries_in_brackets() {
    let said = "Statements must be separated by newlines or semicolons";
    check(
        "python",
        "zones = {\n    'AST': -400 «'ADT': -300»,  # Atlantic\n    'EST': -500,\n}\n",
        said,
        &[],
        Some((
            "add the missing `,`",
            "zones = {\n    'AST': -400, 'ADT': -300,  # Atlantic\n    'EST': -500,\n}\n",
        )),
    );
    // `f(a[b])`, `f(a, b)` and two statements are all valid.
    check("python", "f(a «b])»\n", said, &[], None);
    check("python", "a = 1 «b = 2»\n", said, &[], None);
    check(
        "c",
        "bool scan(void *payload, Lexer *lexer «const» bool *valid) {\n  return valid[0];\n}\n",
        "expected ‘;’, ‘,’ or ‘)’ before ‘const’",
        &[],
        Some((
            "add the missing `,`",
            "bool scan(void *payload, Lexer *lexer, const bool *valid) {\n  return valid[0];\n}\n",
        )),
    );
}

#[test]
fn empty_list_in_front_of_a_body() {
    check(
        "java",
        "class A {\n    public A( «{»\n        f();\n    }\n}\n",
        "illegal start of type",
        &[],
        Some(("add the missing `)`", "class A {\n    public A() {\n        f();\n    }\n}\n")),
    );
    check("java", "class A {\n    int «=» 1;\n}\n", "illegal start of type", &[], None);
}

#[test]
fn colon_before_a_type() {
    check(
        "rust",
        "fn ok<T>(value «T») -> T {\n    value\n}\n",
        "expected one of `:`, `@`, or `|`, found `T`",
        &[],
        Some(("add the missing `:`", "fn ok<T>(value: T) -> T {\n    value\n}\n")),
    );
    check(
        "typescript",
        "function f(outer: T, inner «Observed»<O>, index: number) {}\n",
        "',' expected.",
        &[],
        Some(("add the missing `:`", "function f(outer: T, inner: Observed<O>, index: number) {}\n")),
    );
    check(
        "rust",
        "fn f<A, B>()\nwhere\n    A: Layer<B::Service>\n    «B»: Layer<u8>,\n{\n}\n",
        "expected one of `+`, `,`, `::`, or `{`, found `B`",
        &[],
        Some((
            "add the missing `,`",
            "fn f<A, B>()\nwhere\n    A: Layer<B::Service>,\n    B: Layer<u8>,\n{\n}\n",
        )),
    );
}

#[test]
fn comma_and_colon_are_ambiguous_between_two_names() {
    for (text, said) in [
        ("function f<T>(check: (value «T», index: number) => boolean) {}\n", "')' expected."),
        ("function f(url: string, body? «any», headers?: string) {}\n", "',' expected."),
    ] {
        check("typescript", text, said, &[], None);
    }
    check(
        "javascript",
        "module.exports = { index: index «compiling»: false };\n",
        "Parsing error: Unexpected token compiling",
        &[],
        Some(("add the missing `,`", "module.exports = { index: index, compiling: false };\n")),
    );
    check("javascript", "a = { type «err» };\n", "Parsing error: Unexpected token err", &[], None);
}

#[test]
fn parenthesis_may_belong_inside_a_name() {
    let said = "Expected `(`, found `)`";
    check("python", "def joinm«)»:\n    return m[0]\n", said, &[], None);
    check(
        "python",
        "def join«)»:\n    return 0\n\n\njoin()\n",
        said,
        &[],
        Some(("add the missing `(`", "def join():\n    return 0\n\n\njoin()\n")),
    );
}

#[test]
fn closing_parenthesis_before_the_end_of_a_statement() {
    let fixed = |marked: &str| marked.replace("«;»", ");");
    let check = |language, marked: &str, said| {
        super::check(language, marked, said, &[], Some(("add the missing `)`", &fixed(marked))));
    };
    check("java", "class A {\n  void f() {\n    print(str(a)«;»\n  }\n}\n", "')' expected");
    // A comma outside of a call would drop a value, or declare a parameter again.
    check("c", "void f(char *a) {\n  g(a, true«;»\n}\n", "expected ‘)’ before ‘;’ token");
    check("c", "void f(void *a, int size) {\n  void *b = g(a, size«;»\n}\n", "expected ')'");
    check("javascript", "f(a, b«;»\n", "Parsing error: Unexpected token ;");
    check("java", "class A {\n  void f() {\n    a = peek(«;»\n  }\n}\n", "illegal start of expression");
    super::check(
        "javascript",
        "if (a.b === 'c' «{»\n  d();\n}\n",
        "Parsing error: Unexpected token {",
        &[],
        Some(("add the missing `)`", "if (a.b === 'c') {\n  d();\n}\n")),
    );
    // A new variable may be meant, or another operand.
    for marked in ["let b = f(a, c«;»\n", "d = f(a + b«;»\n"] {
        super::check("javascript", marked, "Parsing error: Unexpected token ;", &[], None);
    }
}

#[test]
fn token_between_two_entries() {
    let said = "Parsing error: Unexpected token c";
    let comma = Some(("add the missing `,`", "a({\n  b: b,\n  c: c\n});\n"));
    check("javascript", "a({\n  b: b\n  «c»: c\n});\n", said, &[], comma);
    let colon = Some(("add the missing `:`", "a({\n  b: c.d,\n  e: f\n});\n"));
    check("javascript", "a({\n  b «c».d,\n  e: f\n});\n", said, &[], colon);
    // Either is possible.
    check("javascript", "a({\n  b «c»\n});\n", said, &[], None);
    let said = "Dictionary entries must contain key/value pairs";
    let colon = Some(("add the missing `:`", "a = {\n    'b': 1,\n    'c': 2,\n}\n"));
    check("python", "a = {\n    «'b'» 1,\n    'c': 2,\n}\n", said, &[], colon);
    let said = "syntax error: unexpected err at end of statement";
    let comma = Some(("add the missing `,`", "package a\n\nfunc f() {\n\tb, err := g()\n}\n"));
    check("go", "package a\n\nfunc f() {\n\tb «err» := g()\n}\n", said, &[], comma);
    check("go", "package a\n\nfunc f() int {\n\treturn b «err»\n}\n", said, &[], None);
    let said = "'}' expected";
    let comma = Some(("add the missing `,`", "class A {\n  int[] b = {1, 2, 3};\n}\n"));
    check("java", "class A {\n  int[] b = {1, 2 «3»};\n}\n", said, &[], comma);
}

#[test]
fn opening_parenthesis_behind_a_function() {
    let said = "Parsing error: Unexpected token 'parsed'";
    let fixed = Some(("add the missing `(`", "debug('read')\ndebug('parsed')\n"));
    check("javascript", "debug('read')\ndebug«'parsed'»)\n", said, &[], fixed);
    let fixed = Some(("add the missing `(`", "const a = require('./a')\n"));
    check("javascript", "const a = require«'./a'»)\n", said, &[], fixed);
    // The file calls no such function.
    check("javascript", "other«'parsed'»)\n", said, &[], None);
    let said = "Parsing error: Unexpected token ,";
    let fixed = Some(("add the missing `(`", "function parts(a, b) {}\nparts(1, 2)\n"));
    check("javascript", "function partsa«,» b) {}\nparts(1, 2)\n", said, &[], fixed);
}

#[test]
fn bracket_is_not_closed_above_the_lines_that_continue_it() {
    check("python", "x = «[»\n    1,\n    2,\n\ny = [3]\n", "'[' was never closed", &[], None);
    check("python", "if «(»a and\n        b:\n    pass\n", "'(' was never closed", &[], None);
    // Only there is the second line not an unexpected indentation.
    let behind = Some(("add the missing `)`", "x = f(a\n    + g(b))\n"));
    check("python", "x = f«(»a\n    + g(b)\n", "'(' was never closed", &[], behind);
    check("python", "x = f«(»a\n+ g(b)\n", "'(' was never closed", &[], None);
    check("javascript", "x = f(a«»\n  + g(b);\n", "')' expected.", &[], None);
    let closed = Some(("add the missing `)`", "x = f(a)\ny = g(a)\n"));
    check("python", "x = f«(»a\ny = g(a)\n", "'(' was never closed", &[], closed);
}

#[test]
fn comma_is_not_added_where_a_statement_should_end() {
    check("javascript", "function f(a, b) {\n  return a «b»;\n}\n", "';' expected.", &[], None);
    check(
        "c",
        "int f(int a, int b) {\n    return a «b»;\n}\n",
        "expected ';' after return statement",
        &[],
        None,
    );
}

#[test]
fn block_with_an_else_between_two_depths_is_not_closed() {
    let text = "fn f() {\n    if a {\n        if b {\n            c();\n        }\n     else if d {\n        e();\n    }\n«}»\n";
    check("rust", text, "this file contains an unclosed delimiter", &[], None);
    let closed = "fn f() {\n    if a {\n        if b {\n            c();\n        }\n    }\n}\n";
    let open = closed.replacen("        }\n    }\n}", "        }\n«}»", 1);
    check(
        "rust",
        &open,
        "this file contains an unclosed delimiter",
        &[],
        Some(("add the missing `}`", closed)),
    );
}

#[test]
fn line_that_is_only_begun_is_not_ended() {
    let said = "expected ‘;’ before ‘}’ token";
    check("c", "void f(void) {\n  fprintf\n«}»\n", said, &[], None);
    check(
        "c",
        "void f(int a) {\n  (a == 1)\n  «{»\n    g();\n  }\n}\n",
        "expected ‘;’ before ‘{’ token",
        &[],
        None,
    );
    check("java", "import java.util\n\n«class» A {}\n", "';' expected", &[], None);
    let mended = Some(("add the missing `;`", "import java.util.List;\n\nclass A {}\n"));
    check("java", "import java.util.List\n\n«class» A {}\n", "';' expected", &[], mended);
    check("python", "def f(a):\n    if a g(«)»:\n        pass\n", "expected ':'", &[], None);
    check("python", "x = f()(«»\n", "'(' was never closed", &[], None);
    check("python", "x = f(«(» \"a)\n", "'(' was never closed", &[], None);
}
