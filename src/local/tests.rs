//! Completions in texts with a cursor.

use super::{complete, complete_surely};

/// `ˇ` is the cursor; `⟦…⟧` is the completion at it. A text with `ˇ` gets none.
#[track_caller]
fn check(marked: &str) {
    let (before, expected, after) = match marked.split_once('⟦') {
        Some((before, rest)) => {
            let (expected, after) = rest.split_once('⟧').unwrap();
            (before, Some(expected), after)
        }
        None => {
            let (before, after) = marked.split_once('ˇ').unwrap();
            (before, None, after)
        }
    };
    let offered = complete(before, after);
    assert_eq!(offered.as_deref(), expected, "{marked}");
}

#[test]
fn fields_and_arguments() {
    check("        self.width = width;\n        self.height = hei⟦ght;⟧\n");
    check("        self.width = width;\n        self.height =⟦ height;⟧\n");
    check("this.width = width;\nthis.maxHeight⟦ = maxHeight;⟧\nlog(maxHeight);");
    check("p.setWidth(config.width);\np.setHeight(⟦config.height);⟧\n");
    check("p.setWidth(config.width);\np.setHeight(⟦config.height⟧);\n");
    check("    \"width\": self.width,\n    \"height\": ⟦self.height,⟧\n");
    check("    obj->width = calc_width(src, 0);\n    obj->height = ⟦calc_height(src, 0);⟧\n");
    check("$this->name = $name;\n$this->email = ⟦$email;⟧\n");
    check("  @name = name\n  @email =⟦ email⟧\n");
}

#[test]
fn the_case_of_words_follows() {
    check("\"red\" => Color::Red,\n\"green\" => ⟦Color::Green,⟧\n");
    check("Color::Red => \"red\",\nColor::DarkGreen => ⟦\"dark_green\",⟧\n");
    check("case RED: return \"Red\";\ncase GREEN: ⟦return \"Green\";⟧\n");
    check("const MAX_WIDTH = env(\"max_width\");\nconst MAX_HEIGHT = ⟦env(\"max_height\");⟧\n");
    check("let users = load(UserStore);\nlet orders = ⟦load(OrderStore);⟧\n");
}

#[test]
fn words_are_finished_from_the_text() {
    check("int width, height;\nfn set_width(w);\nfn set_hei⟦ght(w);⟧\n");
    check("let width = 1; let height = 2;\nprint(width, \"width\");\nprint(hei⟦ght, \"height\");⟧\n");
    check("let hello = 1; let help = 2;\nprint(width, \"width\");\nprint(helˇ\n");
    check("print(width, \"width\");\nprint(brandnˇ\n");
}

#[test]
fn lines_above_vouch_and_know() {
    check(
        "    let width = config.width();\n    assert!(width > 0);\n    let height = config.height();\n    \
         assert!(⟦height > 0);⟧\n",
    );
    check(
        "def a():\n    first = load('first')\n    first.check()\n\ndef b():\n    second = load('second')\n    \
         ⟦second.check()⟧\n",
    );
    check(
        "    if err != nil {\n        return err\n    }\n    b, err := open(y)\n    if err != nil {\n        return err\n    \
         }\n    c, err := open(z)\n    if err ⟦!= nil {⟧\n",
    );
}

#[test]
fn evident_words_are_offered_unasked() {
    let check = |text: &str, expected: Option<&str>| {
        let (before, after) = text.split_once('ˇ').unwrap();
        assert_eq!(complete_surely(before, after).as_deref(), expected, "{text}");
    };
    check("self.width = width;\nself.height = ˇ\n", Some("height;"));
    // More than a word is missing, or the change is not typed yet, or a word is being typed.
    check("x1 = read(1)\nx2 = read(2)\nx3ˇ\n", None);
    check("p.setWidth(config.width);\np.setHeight(ˇ\n", None);
    check("self.width = width;\nself.heiˇ\n\nlog(height)\n", None);
    check("a.log(b, c);\na.log(b, c);\na.log(b, ˇ\n", None);
}

#[test]
fn no_more_than_a_line_is_offered() {
    check("def get_name(self):\n    return self.name\n\ndef get_email(ˇ");
    // Neither a neighbour's body, nor an example in a string.
    check(
        "class View:\n    def __repr__(self) -> str:\n        return f\"<{self.name}>\"\n\n    def __len__(self) -> int:\n        ˇ\n",
    );
    check(
        "def count():\n    \"\"\"Example::\n\n        session[\"counter\"] = 1\n        save(session)\n    \"\"\"\n    session[\"total\"] = ˇ\n",
    );
    check(
        "fn put_width(width: u32) {\n    put(width)\n}\n\nfn put_height(⟦height: u32) {⟧\n    put(height)\n}\n",
    );
}

#[test]
fn series_go_on() {
    check(
        "enum Color { Red, Green, Blue }\n\nmatch c {\n    Color::Red => \"red\",\n    Color::Green => \"green\",\n    \
         ⟦Color::Blue => \"blue\",⟧\n}\n",
    );
    check(
        "enum Color {\n    Red,\n    Green,\n    Blue,\n}\nmatch c {\n    Red => \"red\",\n    Green => \"green\",\n    \
         Bl⟦ue => \"blue\",⟧\n}\n",
    );
    check("x1 = read(1)\nx2 = read(2)\nx3⟦ = read(3)⟧\n");
    check("x1 = read(1)\nx2 = read(2)\nx3 = read(3)\n⟦x4 = read(4)⟧\n");
    check("at(08)\nat(09)\nat(⟦10)⟧\n");
    check("OFF = 0\nLOW = 10\nˇ");
    check("at(1)\nat(2)\nat(3)\n⟦at(4)⟧\n");
    // Three numbers that are not a series have no continuation.
    check("at(1)\nat(2)\nat(4)\nˇ\n");
    check("A_1: u32 = 1;\nA_2: u32 = 2;\nA_3: u32 = 4;\nˇ\n");
    check("enum Color { Red, Green }\n    Red => \"red\",\n    Green => \"green\",\n    ˇ\n");
}

#[test]
fn nothing_is_offered_without_a_reason() {
    check("ˇ");
    check("fn main() {\n    ˇ\n}\n");
    check("    mystery(ˇ\n");
    check("foo(a, b);\nmystery(ˇ\n");
    check("let width = 1;\nlet height = ˇ\n");
    check("// The width is wide.\n// The ˇ\n");
    check("The quick fox jumps.\nThe ˇ\n");
    check("self.width = width;\nself.ˇ\n");
    check("use std::fmt;\nuse std::ˇ\n");
    check("return x;\nreturn x;ˇ\n");
}

#[test]
fn rather_quiet_than_wrong() {
    check("x1 = read(1)\nx2 = read(2)\nˇ\n");
    check("let a: u8 = 0;\nlet b: u16 = 0;\nlet c: ˇ\n");
    check("a8 = Sha256()\na9 = Sha512()\na10 = ˇ\n");
    check("open(\"src/width.rs\");\nopen(\"src/heiˇ\n");
    check("load(width, \"img/width.png\");\nload(height, ˇ\n");
    check("import { width } from './width';\nimport { height } ˇ\n");
    check("use shape::width::Width;\nuse shape::height::ˇ\n");
    check("x1 = read(1)\nx2 = read(2)\nx3 = read(3)\n\nˇ\n");
}

#[test]
fn nothing_is_offered_that_is_there() {
    check("self.width = width;\nself.height = ˇheight;\n");
    check("self.width = width;\nˇ\nself.height = height;\n");
    check("let a = 1;\nuse_a(a);\nlet b = 1;\nˇ\nuse_b(b);\n");
    check("self.width = width;\nself.heiˇght\n");
    check("a.width(width);\na.height(ˇheight * 2);\n");
}

#[test]
fn any_text_is_taken() {
    for text in
        ["ä", "\r\n", "\n\n\n", "«»", "\u{feff}", "a\u{301}", "  ", "((((", "\t\"", "_", "__", "s_S9ß"]
    {
        for other in ["", "ß = ß", "a(", "\n", text] {
            complete(&format!("{other}\n{text}{text}\n{other}{text}"), &format!("{text}\n{other}"));
        }
    }
    let long = "let größe = größe_von(x);\n".repeat(4_000);
    complete(&long, &long);
    complete(&"x".repeat(100_000), &"y".repeat(100_000));
}
