//! Tests on the places of a renamed name, and on its namesakes, in every language.

use super::*;

/// `«old|new»` is the renamed declaration, `⟨old⟩` each place that is offered, and `⟨old→text⟩` one that becomes
/// another text. Nothing else is offered.
#[track_caller]
fn check_places(language: &str, marked: &str) {
    let new = marked.split_once('|').and_then(|(_, rest)| rest.split_once('»')).expect("a renamed name").0;
    let (mut before, mut after) = (String::new(), String::new());
    let mut rest = marked;
    while let Some((code, tail)) = rest.split_once('⟨') {
        let (inner, tail) = tail.split_once('⟩').expect("a mark is closed");
        let (old, text) = inner.split_once('→').unwrap_or((inner, new));
        before.extend([code, old]);
        after.extend([code, text]);
        rest = tail;
    }
    before.push_str(rest);
    after.push_str(rest);
    let (ahead, inner) = after.split_once('«').expect("a mark");
    let expected = [ahead, new, inner.split_once('»').expect("a mark is closed").1].concat();
    check(language, &before, marked.contains('⟨').then_some(&expected));
}

/// There is no offer, for this reason.
#[track_caller]
fn check_silent(language: &str, marked: &str, reason: &str) {
    check(language, marked, None);
    let (ahead, rest) = marked.split_once('«').expect("a mark");
    let (inner, behind) = rest.split_once('»').expect("a mark is closed");
    let (old, new) = inner.split_once('|').expect("old and new");
    let (was, text) = ([ahead, old, behind].concat(), [ahead, new, behind].concat());
    let line = |text: &str, at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        (start, text[start..].split_inclusive('\n').next().unwrap_or_default().to_owned())
    };
    let ((start, before), (_, after)) = (line(&was, ahead.len()), line(&text, ahead.len()));
    let document = Document::new(DocumentId::new("untitled:a"), language, 0, &text);
    let unsure = repeat(&document, &[step_in(&text, &before, &after, start)], ahead.len()).unsure;
    assert_eq!(unsure.map(|it| it.to_string()).as_deref(), Some(reason));
}

#[test]
fn rename_continued_by_hand_stays_in_its_scope() {
    let used = "«total|amount»";
    let check = |language: &str, text: &str| check(language, &text.replace('@', used), None);
    check(
        "python",
        "def outer(amount):\n    show(@, @)\n    log(@, @)\n    return @\n\ndef other(total):\n    return total\n\ndef third():\n    return total\n",
    );
    check(
        "go",
        "package a\n\nfunc outer(amount int) int {\n\tshow(@, @)\n\tlog(@, @)\n\treturn @\n}\n\nfunc other(total int) int {\n\treturn total\n}\n\nfunc third() int {\n\treturn total\n}\n",
    );
    check(
        "typescript",
        "function outer(amount: number) {\n  show(@, @);\n  log(@, @);\n  return @;\n}\n\nfunction other(total: number) {\n  return total;\n}\n\nfunction third() {\n  return total;\n}\n",
    );
    check(
        "rust",
        "fn outer(amount: u8) -> u8 {\n    show(@, @);\n    log(@, @);\n    return @;\n}\n\nfn other(total: u8) -> u8 {\n    return total;\n}\n\nfn third() -> u8 {\n    return total;\n}\n",
    );
    check(
        "java",
        "class A {\n    int outer(int amount) {\n        show(@, @);\n        log(@, @);\n        return @;\n    }\n\n    int other(int total) {\n        return total;\n    }\n\n    int third() {\n        return total;\n    }\n}\n",
    );
    check(
        "php",
        "<?php\nfunction outer($amount) {\n    show($@, $@);\n    log($@, $@);\n    return $@;\n}\n\nfunction other($total) {\n    return $total;\n}\n",
    );
}

#[test]
fn value_and_size_of_a_declaration_are_uses() {
    let java =
        "class A {\n    int f(int «pos|at») {\n        int p = ⟨pos⟩;\n        return p + ⟨pos⟩;\n    }\n}\n";
    check_places("java", java);
    check_places(
        "c",
        "int f(int «pos|at») {\n    int p = ⟨pos⟩;\n    int row[⟨pos⟩];\n    return p + row[0];\n}\n",
    );
}

#[test]
fn places_of_a_local_name_in_rust() {
    check_places(
        "rust",
        "struct A { total: u32 }\n\nfn f<'total>(«total|amount»: u32, a: A) -> u32 {\n    'total: loop { break 'total; }\n    let b = A { ⟨total→total: amount⟩ };\n    let c = vec![A { total: 1 }, A { total: ⟨total⟩ }];\n    println!(\"{⟨total⟩} {{total}} {}\", a.total + ⟨total⟩);\n    let s = \"{total}\";\n    log!(\"x\", total = ⟨total⟩);\n    let A { total: x } = b;\n    let d = |total| total + 1;\n    ⟨total⟩ += total!(1);\n    ⟨total⟩\n}\n\nfn g(total: u32) -> u32 {\n    total\n}\n",
    );
    // The value of a declaration is what the name meant before it.
    check_places("rust", "fn f(total: u8) {\n    let «total|amount» = total + 1;\n    g(⟨total⟩);\n}\n");
    check_places(
        "rust",
        "fn f() {\n    {\n        let «total|amount» = 1;\n        g(⟨total⟩);\n    }\n    g(total);\n}\n",
    );
    check_places(
        "rust",
        "struct A {\n    «id|key»: u8,\n}\n\nimpl A {\n    fn f(&self, id: u8) -> Self {\n        let Self { ⟨id→key: id⟩ } = self;\n        Self { ⟨id→key: id⟩ }\n    }\n}\n\nfn g(id: u8, b: B) -> B {\n    h(A { ⟨id⟩: 1 }, b.id);\n    B { id }\n}\n",
    );
}

#[test]
fn places_of_a_local_name_in_python() {
    check_places(
        "python",
        "class A:\n    total = 1\n\ndef f(«total|amount», other):\n    d = {⟨total⟩: 1, \"total\": other.total}\n    e = [total for total in other]\n    g(total=⟨total⟩, s=\"total\")\n    h = lambda total: total\n    print(f\"{⟨total⟩} total\")\n    ⟨total⟩ += 1\n    ⟨total⟩ = ⟨total⟩ + 1\n    return ⟨total⟩\n\ndef g(total):\n    return total\n",
    );
    check_places(
        "python",
        "class A:\n    «id|key»: int\n\n    def f(self, id):\n        return self.⟨id⟩ + id\n\nclass B:\n    def f(self):\n        return self.id\n\ndef g(id):\n    return A(⟨id⟩=id), h(id=1)\n",
    );
    check_silent(
        "python",
        "class A:\n    def «chain|link»(self):\n        pass\n\nclass B:\n    def chain(self):\n        pass\n\ndef f(a):\n    a.chain()\n",
        "`chain` is also the name of a method here: rename it with your language server",
    );
}

#[test]
fn places_of_a_local_name_in_scripts() {
    for language in ["javascript", "typescript", "tsx"] {
        check_places(
            language,
            "class A {\n  total = 1;\n}\n\nfunction f(«total|amount», other) {\n  total: for (;;) break total;\n  const { total: x } = other;\n  const a = { total: ⟨total⟩, [⟨total⟩]: 1, \"total\": 2 };\n  const b = { ⟨total→total: amount⟩ };\n  other.total = `${⟨total⟩} total`;\n  g((total) => total);\n  h({ total() {} });\n  return ⟨total⟩;\n}\n\nfunction g(total) {\n  return total;\n}\n",
        );
        check_places(
            language,
            "class A {\n  #«size|count» = 1;\n  f(size) {\n    return this.#⟨size⟩ + size;\n  }\n}\nclass B {\n  #size = 2;\n}\n",
        );
    }
    for language in ["javascript", "tsx"] {
        check_places(
            language,
            "function F() {\n  const [«value|text», setValue] = useState(\"\");\n  return <input value={⟨value⟩} data-value=\"1\" {...⟨value⟩}>value <b>value</b><value /></input>;\n}\n",
        );
        check_places(
            language,
            "items.map((item, «key|first») => <Item key={⟨key⟩} className=\"key\" data-key={⟨key⟩}>key</Item>);\n",
        );
    }
    for language in ["typescript", "tsx"] {
        check_places(
            language,
            "type P = { «id|key»: number };\n\nfunction f(id: string) {\n  return fetch({ id });\n}\n\nconst a: P = { ⟨id⟩: 1 };\nconst b = { id: 2 };\n\nfunction g(id: number): P {\n  return { ⟨id→key: id⟩ };\n}\n",
        );
        check_places(
            language,
            "interface P {\n  f(«total|amount»: number): void;\n  g(total: number): void;\n}\n\nconst total = 1;\nh(total);\n",
        );
        check_places(
            language,
            "class A {\n  constructor(private «name|title»: string) {\n    log(⟨name⟩);\n  }\n\n  f(name: string) {\n    return this.⟨name⟩ + name;\n  }\n}\n\nclass B {\n  f() {\n    return this.name;\n  }\n}\n",
        );
    }
}

#[test]
fn places_of_a_local_name_in_shells() {
    check_places(
        "bash",
        "show() {\n  local «file|path»=\"$1\"\n  file \"$⟨file⟩\" 'file' --file\n  test -f \"${⟨file⟩}\" && rm file\n  ⟨file⟩=\"${⟨file⟩%.x}\"\n  echo $((⟨file⟩ + 1)) file\n}\n",
    );
    check_places("bash", "«count|total»=1\nwc --count\n⟨count⟩=$((⟨count⟩ + 1))\necho count \"$⟨count⟩\"\n");
    check_silent(
        "bash",
        "«file|path»=1\nread file\necho \"$file\"\n",
        "it is not certain which other uses of `file` mean this one: rename it with your language server",
    );
    check_places("bash", "«load|fetch»() {\n  echo load\n}\nload=1\n⟨load⟩ load\necho $load\n");
}

#[test]
fn places_of_a_name_in_ruby() {
    check_places(
        "ruby",
        "def f\n  «name|title» = fetch\n  log(name: ⟨name⟩, key: :name)\n  a = { ⟨name⟩ => 1, \"name\" => other.name }\n  puts \"#{⟨name⟩} name\", @name\n  list.each { |name| puts name }\n  ⟨name⟩ += 1\n  g(⟨name:→name: title⟩)\nend\n\ndef g\n  name\nend\n",
    );
    check_places(
        "ruby",
        "class A\n  def «size|count»\n    1\n  end\n\n  def twice\n    ⟨size⟩ * 2 + self.⟨size⟩\n  end\n\n  def other(size)\n    size\n  end\nend\n\ndef g\n  size\nend\n",
    );
}

#[test]
fn places_of_an_instance_variable_in_ruby() {
    check_places(
        "ruby",
        "class A\n  @name = 1\n\n  def initialize(name)\n    @«name|title» = name\n    @@name = 2\n  end\n\n  def self.other\n    @name\n  end\n\n  def show\n    puts \"#{@⟨name⟩} name\", name, self.name, @⟨name⟩.size\n    list.each { |name| @⟨name⟩ << name }\n  end\n\n  class B\n    def f\n      @name\n    end\n  end\nend\n\nclass C\n  def f\n    @name\n  end\nend\n",
    );
    check_silent(
        "ruby",
        "class A\n  attr_reader :name\n\n  def initialize\n    @«name|title» = 1\n  end\n\n  def f\n    @name\n  end\nend\n",
        "it is not certain which other uses of `name` mean this one: rename it with your language server",
    );
    check_silent(
        "ruby",
        "class A\n  def initialize\n    @«name|title» = 1\n    @title = 2\n  end\n\n  def f\n    @name\n  end\nend\n",
        "`title` already has a meaning here: rename `name` with your language server, or choose another name",
    );
}

#[test]
fn places_of_a_name_in_java() {
    check_places(
        "java",
        "class A {\n    private int «size|count»;\n    int twice() { return ⟨size⟩ * 2 + this.⟨size⟩; }\n    int size() { return size(); }\n    @Range(size = 1) void set(int size) { this.⟨size⟩ = size; size: for (;;) break size; }\n    class C { int f() { return ⟨size⟩; } }\n}\n\nclass B { int f() { return size; } }\n\nclass D extends A { int f() { return ⟨size⟩; } }\n",
    );
    // What it inherits may have the name, too.
    check_silent(
        "java",
        "class A {\n    int «size|count»;\n    Object f() { return new B() { int g() { return size; } }; }\n}\n",
        "it is not certain which other uses of `size` mean this one: rename it with your language server",
    );
    check_silent(
        "java",
        "class A {\n    int «size|count»;\n    int f() { int count = 1; return size + count; }\n}\n",
        "`count` already has a meaning here: rename `size` with your language server, or choose another name",
    );
    check_places(
        "java",
        "class A {\n    int total;\n    int f(int «total|amount») { total: for (;;) break total; this.total = ⟨total⟩; return total(⟨total⟩); }\n    int total(int total) { return total; }\n}\n",
    );
}

#[test]
fn places_of_a_name_in_csharp() {
    check_places(
        "csharp",
        "class A {\n    int total;\n    void F(int «total|amount») {\n        var a = new A { total = ⟨total⟩ };\n        var b = new { ⟨total→total = amount⟩, Other = ⟨total⟩ };\n        G(total: ⟨total⟩);\n        if (a is { total: 1 }) goto total;\n        total: this.total = ⟨total⟩;\n        var c = a with { total = 2 };\n        Log($\"{⟨total⟩} total\");\n    }\n    void G(int total) { H(total); }\n}\n",
    );
    check_places(
        "csharp",
        "class A {\n    private int «size|count»;\n    int Twice() { return ⟨size⟩ * 2 + this.⟨size⟩; }\n    void Set(int size) { this.⟨size⟩ = size; Other(new A { ⟨size⟩ = size }, new B { size = 1 }); }\n}\n\nclass B { int F() { return size; } }\n",
    );
}

#[test]
fn places_of_a_name_in_c_and_cpp() {
    for language in ["c", "cpp"] {
        check_places(
            language,
            "struct total { int total; };\nint g(int total);\nint f(int «total|amount», struct total *a) {\n    struct total p = { .total = ⟨total⟩ };\n    total: if (⟨total⟩) goto total;\n    return ⟨total⟩ + a->total + p.total;\n}\nint h(int total) { return total; }\n",
        );
        check_places(language, "int g(int «total|amount»);\nint total;\nint f(void) { return total; }\n");
        check_places(
            language,
            "struct P { int «id|key»; };\nstruct Q { int b; };\nvoid f(int id) {\n    struct P p = { .⟨id⟩ = id };\n    struct Q q = { .id = id };\n}\n",
        );
    }
    check_places(
        "cpp",
        "struct P {\n    int «size|count»;\n    P(int s) : ⟨size⟩(s) {}\n    int twice() { return ⟨size⟩ * 2 + this->⟨size⟩; }\n    void set(int size) { this->⟨size⟩ = size; }\n    int thrice();\n};\nint P::thrice() { return ⟨size⟩ * 3; }\nint other() { return size; }\n",
    );
}

#[test]
fn places_of_a_name_in_go() {
    check_places(
        "go",
        "package a\n\ntype P struct{ total int }\n\nfunc f(«total|amount» int, p P) int {\n\tq := P{total: ⟨total⟩}\n\tm := map[int]int{⟨total⟩: 1}\n\ttotal: for { break total }\n\tg := func(total int) int { return total }\n\t⟨total⟩ = ⟨total⟩ + p.total\n\treturn ⟨total⟩\n}\n\nfunc h(total int) int { return total }\n",
    );
    check_places(
        "go",
        "package a\n\nfunc f(total int) {\n\tif total > 1 {\n\t\t«total|amount» := total + 1\n\t\tg(⟨total⟩)\n\t}\n\tg(total)\n}\n",
    );
    check_places(
        "go",
        "package a\n\ntype A struct{ chain int }\n\nfunc «chain|link»() {}\n\nfunc f(a A) {\n\t⟨chain⟩()\n\tg(a.chain, A{chain: 1})\n}\n",
    );
    check_places(
        "go",
        "package a\n\ntype P struct {\n\t«id|key» int\n}\n\nfunc f(id int) {\n\tg(P{⟨id⟩: id}, []P{{⟨id⟩: 1}}, Q{id: 2})\n}\n",
    );
}

#[test]
fn places_of_a_name_in_php() {
    check_places(
        "php",
        "<?php\nclass A {\n    private int $total = 0;\n    function f(int $«total|amount», $b) {\n        $this->total = $⟨total⟩;\n        $s = ['total' => $⟨total⟩];\n        log(\"$⟨total⟩ total\", total: $⟨total⟩);\n        $g = function () use ($⟨total⟩) { return $⟨total⟩; };\n        $h = function ($x) { return $total; };\n        $⟨total⟩ = $⟨total⟩ + self::$total . A::total . total();\n        return $⟨total⟩;\n    }\n}\nfunction g($total) { return $total; }\n",
    );
    check_places(
        "php",
        "<?php\nfunction f() {\n    $«total|amount» = 0;\n    foreach ($xs as $x) { $⟨total⟩ = $⟨total⟩ + $x; }\n    return $⟨total⟩;\n}\n",
    );
    check_silent(
        "php",
        "<?php\nfunction f() {\n    $«total|amount» = 0;\n    return compact('total') + $total;\n}\n",
        "it is not certain which other uses of `total` mean this one: rename it with your language server",
    );
    check_places(
        "php",
        "<?php\nclass A {\n    private int $«size|count» = 0;\n    function f($size) { return $this->⟨size⟩ + $size; }\n}\nclass B {\n    function f() { return $this->size; }\n}\n",
    );
}

#[test]
fn places_of_a_name_in_lua() {
    check_places(
        "lua",
        "local function f(«total|amount»)\n  local t = { total = ⟨total⟩, [⟨total⟩] = 2, ⟨total⟩ }\n  goto total\n  ::total::\n  for total = 1, 2 do g(total) end\n  ⟨total⟩ = ⟨total⟩ + t.total + t:total()\n  return ⟨total⟩, \"total\"\nend\n\nlocal function g(total)\n  return total\nend\n",
    );
    check_places(
        "lua",
        "local function f(total)\n  local «total|amount» = total or 1\n  return ⟨total⟩\nend\n",
    );
}

#[test]
fn languages_without_variables_offer_nothing() {
    check_places("html", "<div id=\"«main|body»\" main>main <label for=\"main\">main</label></div>\n");
    check_places(
        "css",
        ".«main|body» { color: main; }\n.main-color { --main: 1px; }\n#main { width: var(--main); }\n",
    );
    check_places("json", "{\"«main|body»\": \"main\", \"a\": {\"main\": 1}}\n");
    check_places("yaml", "«main|body»: 1\na:\n  main: main\n");
    check_places("toml", "«main|body» = 1\n[main]\na = \"main\"\n");
    check_places("markdown", "# «main|body»\n\nmain [main](#main)\n");
}
