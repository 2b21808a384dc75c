"""Breaks real files in one place each, has their compilers report it, and fixes that by rule.

    mutants.py --binary B [--each N] [--words N] [--seed S] [--show KIND...] [TOOL...]

The files are already on the machine: sources of crates, of the libraries of Python, Go and the JDK, of npm packages.
`--each` is the number of mutants per tool (default: 160), `--words` the number of plain words without a definition
(default: 500). A tool that is missing is skipped. `--show` prints the changes of these outcomes.

The mutations: a name misspelt, or in the wrong case; an import removed, or a superfluous one; an unused variable;
a token removed; a value of another type. The compiler checks the file, the mutant, and the result of the rules:

    mended    no report that the file itself does not have, and the code is the file's, except for its comments and
              imports, for names that are changed everywhere, and, where the compiler resolves all names, for places
              with a name which the file did not have: they belong to one declaration
    meaning   no such report, but different code: each of these must be reviewed
    part      some of the reports are gone
    new       a report that neither the file nor the mutant has
    left      nothing is changed

It fails if more than 0.3 % of the mutants have new reports, if one changes its meaning, if less than 60 % are
mended, or if a plain word is replaced.
"""

import argparse
import collections
import concurrent.futures
import difflib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import corpus

HOME = pathlib.Path.home()
KINDS = ["misspelt", "case", "no import", "extra import", "extra variable", "token", "type"]
# Maximum number of projects per tool.
PROJECTS = 60
OUTCOMES = ["mended", "meaning", "part", "new", "left"]
NAME = re.compile(r"[A-Za-z_]\w{3,}")
KEYWORDS = set(
    "and as assert async await break case catch class const continue crate def default defer del elif else enum except "
    "export extends extern False final finally for from func function global goto impl import in instanceof interface is "
    "lambda let loop match mod move mut namespace new None nonlocal not null or package pass private protected pub public "
    "raise readonly ref return self Self sizeof static struct super switch template this throw throws trait True true false "
    "try type typedef typeof union unsafe unsigned use using var virtual void volatile where while with yield dyn inline "
    "register signed define include ifdef ifndef endif undef pragma keyof declare module require implements abstract".split()
)
# Comments and strings, by file extension.
SLASHES = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
PROSE = {
    ".py": r"'''.*?'''|\"\"\".*?\"\"\"|#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'",
    ".rs": SLASHES + r"|r#*\".*?\"#*|'(?:\\.|[^'\\])'",
    ".c": SLASHES + r"|'(?:\\.|[^'\\\n])*'|\#[^\n]*",
    ".go": SLASHES + r"|`[^`]*`|'(?:\\.|[^'\\\n])*'",
    ".java": SLASHES + r"|'(?:\\.|[^'\\\n])*'|@\w+",
    ".ts": SLASHES + r"|'(?:\\.|[^'\\\n])*'|`[^`]*`",
    ".js": SLASHES + r"|'(?:\\.|[^'\\\n])*'|`[^`]*`|/(?![*/\s])(?:\\.|[^/\\\n])+/[a-z]*",
}
IMPORT = {
    ".py": r"^(?:import|from) [^\n(]*\n", ".rs": r"^\s*use [^;{]*;\n", ".c": r"^#include[^\n]*\n",
    ".go": r"^\s*(?:import )?\"[^\"\n]*\"\n", ".java": r"^import [^;]*;\n", ".ts": r"^import [^;]*;\n",
    ".js": r"^(?:const|var|let) \w+ = require\([^\n]*\n|^import [^;]*;\n",
}
# An unused import, and an unused variable.
EXTRA = {
    ".py": ("import tabnanny\n", "unneeded = 1\n"), ".rs": ("use std::collections::BTreeSet as _Unneeded;\n", "let unneeded = 1;\n"),
    ".c": (None, "int unneeded = 1;\n"), ".go": ('import "index/suffixarray"\n', "unneeded := 1\n"),
    # tsc does not report unused imports.
    ".java": (None, None), ".ts": (None, "const unneeded = 1;\n"),
    ".js": ('const unneededModule = require("zlib");\n', "const unneeded = 1;\n"),
}
EXTRA[".rs"] = ("use std::collections::BTreeSet;\n", "let unneeded = 1;\n")


# Languages in which code that compiles has a declaration for each name.
RESOLVED = (".rs", ".c", ".go", ".java", ".ts")


class Project:
    """Files in one folder. `main` is the broken one; `beside` are files that the tool is not run on."""

    def __init__(self, name, files, main, original, beside=None):
        self.name, self.files, self.main, self.original, self.beside = name, files, main, original, beside or {}


# Each tool: the extension of its files, where projects come from, and how it reports on a number of folders.


def python_files():
    """Modules of Python's own library without other dependencies."""
    folder = pathlib.Path(os.__file__).parent
    yield from singles(folder.glob("*.py"), lambda _: "case.py")
    for package in ("json", "email", "http"):
        yield from with_beside(folder.glob(f"{package}/*.py"), folder)


def singles(paths, name_of):
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8", errors="replace")
        if 1_500 < len(text) < 40_000 and "\r" not in text and "�" not in text:
            name = name_of(path)
            yield Project(path.stem, {name: text}, name, path)


def with_beside(paths, root):
    """Files of one package or folder, each with the others beside it, as in the folder of a user."""
    paths = sorted(paths)
    texts = {str(it.relative_to(root)): it.read_text(encoding="utf-8", errors="replace") for it in paths}
    for it in singles(paths, lambda path: str(path.relative_to(root))):
        it.beside = {path: text for path, text in texts.items() if path != it.main}
        yield it


def crates():
    """Small crates without dependencies."""
    for folder in sorted(HOME.glob(".cargo/registry/src/*/*")):
        manifest = folder / "Cargo.toml"
        files = {str(it.relative_to(folder)): it.read_text() for it in (folder / "src").glob("**/*.rs")}
        if not manifest.exists() or "src/lib.rs" not in files or not 1 <= len(files) <= 12:
            continue
        if sum(map(len, files.values())) > 200_000 or "proc-macro = true" in manifest.read_text():
            continue
        edition = re.search(r'^edition = "(\d+)"', manifest.read_text(), re.M)
        files["edition"] = edition[1] if edition else "2015"
        for main, text in files.items():
            if main.endswith(".rs") and 1_500 < len(text) < 40_000 and "test" not in main:
                yield Project(folder.name, files, main, folder / main)


def c_files():
    """C sources of crates that compile on their own, with the headers beside them."""
    for path in sorted(HOME.glob(".cargo/registry/src/*/*/**/*.c")):
        if 1_500 < path.stat().st_size < 60_000 and path.name not in ("parser.c",):
            text = path.read_text(errors="replace")
            headers = {}
            for root in (path.parent, path.parent.parent, path.parent.parent / "include"):
                for it in root.glob("**/*.h"):
                    if root == path.parent.parent and it.parent.name == "src":
                        continue
                    headers.setdefault(str(it.relative_to(root)), it.read_text(errors="replace"))
            yield Project(path.stem, {**headers, "case.c": text}, "case.c", path)


def go_packages():
    """Packages of Go's own library that need no internal ones."""
    root = corpus.output(["go", "env", "GOROOT"], pathlib.Path("/")).strip()
    for folder in sorted(it for it in pathlib.Path(root, "src").glob("**/") if "internal" not in it.parts and "testdata" not in it.parts):
        files = {it.name: it.read_text() for it in folder.glob("*.go") if not it.name.endswith("_test.go")}
        code = "".join(files.values())
        if files and "internal/" not in code and "go:linkname" not in code and "vendor" not in folder.parts and len(files) < 12:
            for main, text in files.items():
                if 1_500 < len(text) < 40_000 and "package main" not in text and "//go:build" not in text:
                    yield Project(folder.name, {**files, "go.mod": "module example.com/a\n\ngo 1.19\n"}, main, folder / main)


def java_files():
    """Sources of the JDK's collections and text classes."""
    home = pathlib.Path(os.path.realpath(shutil.which("javac"))).parent.parent
    archive, unpacked = home / "lib/src.zip", corpus.CACHE / home.name
    if not archive.exists():
        print(f"note: {archive} is missing, so that javac has no files")
        return
    if not unpacked.exists():
        shutil.unpack_archive(archive, unpacked)
    for part in ("util", "text", "io", "net"):
        yield from with_beside((unpacked / "java.base/java" / part).glob("*.java"), unpacked / "java.base")


def script_files():
    """CommonJS modules of npm packages."""
    for package in sorted(it.parent for it in NODE.glob("*/lib") if it.parent.name not in ("eslint", "typescript")):
        for it in with_beside(package.glob("lib/**/*.js"), package):
            if "require(" in it.files[it.main][:2000]:
                yield it


def typescript_files():
    """The sources of RxJS, which refer to each other."""
    root = NODE / "rxjs/src"
    files = {str(it.relative_to(root)): it.read_text() for it in (root / "internal").glob("**/*.ts")}
    for main, text in sorted(files.items()):
        if 700 < len(text) < 40_000:
            yield Project(pathlib.Path(main).stem, files, main, root / main)


NODE = corpus.NODE
ESLINT_CONFIG = """
import js from "@eslint/js";
export default [js.configs.recommended, { files: ["**/*.js"], languageOptions: { sourceType: "commonjs", globals: {
  require: "readonly", module: "writable", exports: "writable", process: "readonly", Buffer: "readonly", console: "readonly",
  __dirname: "readonly", setTimeout: "readonly", clearTimeout: "readonly", setImmediate: "readonly", global: "readonly",
  URL: "readonly" } } }];
"""


def each(command):
    """Runs a command in each folder."""
    def run(folders, projects):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            said = pool.map(lambda it: corpus.output(command(it[1]), it[0]), zip(folders, projects))
            return list(said)
    return run


def rustc(project):
    edition = f"--edition={project.files['edition']}"
    return ["rustc", edition, "--crate-type=lib", "--emit=metadata", "--out-dir=out", "--cap-lints=warn", "--error-format=json",
            "-Aunknown_lints", "-Amismatched_lifetime_syntaxes", "-Aunexpected_cfgs", "-Adead_code", "-Adeprecated",
            '--cfg=feature="std"', '--cfg=feature="alloc"', '--cfg=feature="default"', "src/lib.rs"]


def by_path(said, folders, field):
    """Splits a list of reports by folder."""
    parts = collections.defaultdict(list)
    for it in json.loads(said[said.index("["):] if said.strip() else "[]"):
        for folder in folders:
            if it[field].startswith(f"{folder}/"):
                parts[folder].append(it)
                break
    return parts


def prefix_of(path, roots):
    """The folder among `roots` that contains a path."""
    for parent in pathlib.Path(path).parents:
        if parent in roots:
            return parent
    return None


def together(command, field, wrap=lambda reports: reports, unwrap=lambda said: json.loads(said[said.index("["):])):
    """Runs a command once over all broken files, and splits its list of reports by folder."""
    def run(folders, projects):
        files = [str(folder / project.main) for folder, project in zip(folders, projects)]
        said = corpus.output([*command, *files], folders[0].parent)
        roots, parts = set(folders), collections.defaultdict(list)
        for it in unwrap(said):
            parts[prefix_of(it[field], roots)].append(it)
        return [json.dumps(wrap(parts[folder])) for folder in folders]
    return run


def javac(folders, projects):
    # A module is patched with its changed file alone: javac would compile the others, too.
    alone = [folder.with_name("alone") for folder in folders]
    for to, folder, project in zip(alone, folders, projects):
        target = to / project.main
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / project.main, target)
    files = [f"{to}:{project.main}" for to, project in zip(alone, projects)]
    said = corpus.output(["java", "-Duser.language=en", str(corpus.HERE / "Mutants.java"), *files], folders[0].parent)
    parts = re.split(r"^=== (\S+)\n", said, flags=re.M)
    by_folder = dict(zip(parts[1::2], parts[2::2]))
    return [by_folder.get(str(to), "").replace(f"{to}/", "") for to in alone]


def tsc(folders, projects):
    files = [f"{folder}:{project.main}" for folder, project in zip(folders, projects)]
    said = corpus.output(["node", str(corpus.HERE / "mutants.mjs"), str(NODE / "typescript"), str(NODE / "rxjs/src"), *files], folders[0].parent)
    parts = re.split(r"^=== (\S+)\n", said, flags=re.M)
    by_folder = dict(zip(parts[1::2], parts[2::2]))
    return [by_folder.get(str(folder), "") for folder in folders]


def eslint(folders, projects):
    # ESLint refuses files outside the folder of its configuration.
    root = folders[0].parent.parent
    (root / "eslint.config.mjs").write_text(ESLINT_CONFIG)
    if not (root / "node_modules").exists():
        (root / "node_modules").symlink_to(NODE)
    return together(["node", str(NODE / "eslint/bin/eslint.js"), "--format", "json"], "filePath")(folders, projects)


VENV = corpus.VENV
PYRIGHT = together(
    [str(VENV / "pyright"), "--outputjson"], "file", lambda reports: {"generalDiagnostics": reports},
    lambda said: json.loads(said[said.index("{"):])["generalDiagnostics"])
TOOLS = {
    "ruff": (".py", python_files, together([str(VENV / "ruff"), "check", "--no-cache", "--isolated", "--select=E9,F", "--output-format=json"], "filename")),
    "pyright": (".py", python_files, PYRIGHT),
    "rustc": (".rs", crates, each(rustc)),
    "gcc": (".c", c_files, each(lambda _: ["gcc", "-Wall", "-fsyntax-only", "-I.", "-fmax-errors=0", "case.c"])),
    "clang": (".c", c_files, each(lambda _: ["clang", "-Wall", "-fsyntax-only", "-fno-color-diagnostics", "-ferror-limit=0", "-I.", "case.c"])),
    "go": (".go", go_packages, each(lambda _: ["go", "build", "-o", os.devnull, "./..."])),
    "javac": (".java", java_files, javac),
    "tsc": (".ts", typescript_files, tsc),
    "eslint": (".js", script_files, eslint),
}


def is_here(tool):
    program = {
        "ruff": VENV / "ruff", "pyright": VENV / "pyright", "tsc": NODE / "rxjs", "eslint": NODE / "eslint", "javac": "javac",
    }.get(tool, tool)
    return os.path.exists(program) or shutil.which(str(program)) is not None


def code_of(text, ending):
    """The text with comments and strings blanked out."""
    return re.sub(PROSE[ending], lambda it: re.sub(r"[^\n]", " ", it[0]), text, flags=re.S)


def words_of(text, ending):
    """The tokens of code, without comments, its imports, and the unneeded variable."""
    comment = ("//", "/*", "#") if ending == ".py" else ("//", "/*")
    text = re.sub(PROSE[ending], lambda it: " " if it[0].startswith(comment) else it[0], text, flags=re.S)
    # A path from the library's root becomes shorter with an import of its module.
    text = re.sub(r"\bstd::(?=\w+::)", "", text) if ending == ".rs" else text
    text = re.sub(r"(?:let |const |int )?_?unneeded\b[^\n]*\n", "\n", text)
    text = re.sub(IMPORT[ending], "", text, flags=re.M)
    text = re.sub(r"^import \([^)]*\)|^(?:pub )?use [^;]*;|^from \S+ import \([^)]*\)", "", text, flags=re.M)
    return re.findall(r"\w+|[^\w\s]", text)


def is_same(original, fixed, ending):
    """Whether two texts are the same code, except for imports, and local names that are changed everywhere."""
    one, other = words_of(original, ending), words_of(fixed, ending)
    if one == other:
        return True
    if len(one) != len(other):
        # An additional comma or pair of parentheses rarely changes the meaning, but must be reviewed.
        return False
    pairs = {(a, b) for a, b in zip(one, other) if a != b}
    if len(pairs) == 1 and ending in RESOLVED and not {b for _, b in pairs} & set(one):
        return True
    there, back = {}, {}
    for a, b in zip(one, other):
        if there.setdefault(a, b) != b or back.setdefault(b, a) != a:
            return False
    return True


def mutate(kind, text, ending, rng):
    """The text broken in one place; `None` if the mutation does not apply."""
    code = code_of(text, ending)
    if kind in ("misspelt", "case"):
        names = [it for it in NAME.finditer(code) if it[0] not in KEYWORDS]
        if not names:
            return None
        found = rng.choice(names)
        name, at = found[0], rng.randrange(len(found[0]) - 1)
        if kind == "case":
            at = rng.choice([0, rng.randrange(len(name))])
            new = name[:at] + name[at].swapcase() + name[at + 1:]
        else:
            new = rng.choice([
                name[:at] + name[at + 1:], name[:at] + name[at] + name[at:], name[:at] + name[at + 1] + name[at] + name[at + 2:],
                name[:at] + rng.choice("aeinorst") + name[at + 1:],
            ])
        return text[:found.start()] + new + text[found.end():] if new != name else None
    if kind == "no import":
        found = list(re.finditer(IMPORT[ending], text, flags=re.M))
        if not found:
            return None
        it = rng.choice(found)
        return text[:it.start()] + text[it.end():]
    if kind == "extra import":
        found, extra = list(re.finditer(IMPORT[ending], text, flags=re.M)), EXTRA[ending][0]
        if not found or extra is None:
            return None
        at = rng.choice(found).start()
        # An attribute would apply to the new import.
        if text[:at].rstrip().endswith("]"):
            return None
        if text[at:].startswith(("\t", " ")):
            extra = "\t" + extra.removeprefix("import ") if ending == ".go" else extra
        return text[:at] + extra + text[at:]
    if kind == "extra variable":
        extra = EXTRA[ending][1]
        ends = r"(def [^\n]*:|\b(?:fn|func|function)\b[^\n]*\{|^\w[^\n;]*\)\s*\{)\n([ \t]+)(?=[a-z])"
        found = list(re.finditer(ends, code, flags=re.M)) if extra else []
        if not found:
            return None
        it = rng.choice(found)
        return text[:it.end()] + extra + it[2] + text[it.end():]
    if kind == "token":
        found = [it.start() for it in re.finditer(r"[;:,(){}\[\]]", code)]
        if not found:
            return None
        at = rng.choice(found)
        return text[:at] + text[at + 1:]
    found = list(re.finditer(r"(?<=[=(, ])\d+(?=[;), \n])", code))
    if not found:
        return None
    it = rng.choice(found)
    return text[:it.start()] + '"text"' + text[it.end():]


def lay_out(folder, project, text):
    for path, content in {**project.beside, **project.files, project.main: text}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)


def troubles(binary, folder, said):
    return corpus.troubles(corpus.fix(binary, folder, said))


def mutants(projects, ending, count, rng):
    """Programs: the kind, the project, and the broken text."""
    made = collections.Counter()
    for number in range(count * 20 if projects else 0):
        kind = KINDS[number % len(KINDS)]
        project = rng.choice(projects)
        text = mutate(kind, project.files[project.main], ending, rng)
        if text is not None and text != project.files[project.main]:
            made[kind] += 1
            yield kind, project, text
        if made.total() == count:
            return


class Bench:
    def __init__(self, binary, tool, count, seed):
        self.binary, self.tool, self.ending, self.run = binary, tool, TOOLS[tool][0], TOOLS[tool][2]
        self.rng = random.Random(f"{seed} {tool}")
        self.by_kind = collections.Counter()
        self.shown = []
        with tempfile.TemporaryDirectory(prefix="mutants-") as root:
            self.root = pathlib.Path(root).resolve()
            found = list(TOOLS[tool][1]())
            self.check(self.sound(self.rng.sample(found, min(len(found), PROJECTS))), count)

    def reports(self, laid):
        """The tool's output for programs, and the findings in it."""
        if not laid:
            return []
        folders, projects = [it[0] for it in laid], [it[1] for it in laid]
        said = self.run(folders, projects)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return list(zip(said, pool.map(lambda it: troubles(self.binary, *it), zip(folders, said))))

    def sound(self, projects):
        """The projects without reports."""
        laid = []
        for number, project in enumerate(projects):
            folder = self.root / f"o{number}" / "p"
            lay_out(folder, project, project.files[project.main])
            laid.append((folder, project))
        return [project for (_, project), (_, found) in zip(laid, self.reports(laid)) if not found]

    def check(self, projects, count):
        laid, programs = [], list(mutants(projects, self.ending, count, self.rng))
        for number, (_, project, text) in enumerate(programs):
            folder = self.root / f"m{number}" / "p"
            lay_out(folder, project, text)
            laid.append((folder, project))
        again = []
        for (kind, project, text), (folder, _), (said, found) in zip(programs, laid, self.reports(laid)):
            if not found:
                continue
            corpus.fix(self.binary, folder, said, "--write")
            fixed = (folder / project.main).read_text()
            before = {**project.beside, **project.files, project.main: text}
            changed = [it for it in before if (folder / it).read_text() != before[it]]
            again.append((kind, project, text, fixed, changed, folder, found))
        touched = [it for it in again if it[4]]
        after = dict(zip(map(id, touched), self.reports([(it[5], it[1]) for it in touched])))
        for it in again:
            kind, project, text, fixed, changed, _, found = it
            original = project.files[project.main]
            if not changed:
                outcome = "left"
            else:
                now = after[id(it)][1]
                if now - found:
                    outcome = "new"
                elif now:
                    outcome = "part"
                else:
                    outcome = "mended" if is_same(original, fixed, self.ending) else "meaning"
            self.by_kind[kind, outcome] += 1
            diff = difflib.unified_diff(text.splitlines(), fixed.splitlines(), "mutant", "fixed", lineterm="", n=0)
            true = difflib.unified_diff(text.splitlines(), original.splitlines(), "mutant", "original", lineterm="", n=0)
            self.shown.append((outcome, f"--- {self.tool}, {kind}, {project.original}: {outcome}\n"
                               f"{list(found)[:3]}\n" + "\n".join([*diff, "  the original:", *list(true)[2:]])))


WORDS_IN = {
    "ruff": ("case.py", "import os\n\n\ndef area(width, height, names):\n    total = width * height\n    for name in names:\n        total += len(name)\n    return total\n\n\n",
             "def f{n}(shape, count):\n    result = {word}(shape)\n    return result, count, {word}\n\n\n", "print(os.name, area)\n"),
    "rustc": ("case.rs", "use std::collections::HashMap;\n\npub fn area(width: u32, height: u32) -> u32 {{\n    let total = width * height;\n    total\n}}\n\npub fn map() -> HashMap<u32, u32> {{ HashMap::new() }}\n",
              "pub fn f{n}(shape: u32, count: u32) -> u32 {{\n    let result = {word}(shape);\n    result + count + {word}\n}}\n\n", ""),
    "gcc": ("case.c", "#include <stdio.h>\n#include <string.h>\n\nint area(int width, int height) {{\n    int total = width * height;\n    return total + (int)strlen(\"a\");\n}}\n\n",
            "int f{n}(int shape, int count) {{\n    int result = {word} + shape;\n    return result + count;\n}}\n\n", ""),
    "go": ("case.go", "package a\n\nimport \"strings\"\n\nfunc Area(width int, height int, names []string) int {{\n\ttotal := width * height\n\treturn total + len(strings.Join(names, \"\"))\n}}\n\n",
           "func F{n}(shape int, count int) int {{\n\tresult := {word}(shape)\n\treturn result + count\n}}\n\n", ""),
    "javac": ("Case.java", "import java.util.List;\n\nclass Case {{\n    int total;\n    int area(int width, int height, List<String> names) {{\n        total = width * height;\n        return total + names.size();\n    }}\n",
              "    int f{n}(int shape, int count) {{\n        int result = {word}(shape);\n        return result + count + {word};\n    }}\n", "}}\n"),
    "tsc": ("case.ts", "export function area(width: number, height: number, names: string[]): number {{\n  const total = width * height;\n  return total + names.length;\n}}\n\n",
            "export function f{n}(shape: number, count: number): number {{\n  const result = {word}(shape);\n  return result + count + {word};\n}}\n\n", ""),
    "eslint": ("case.js", "const path = require(\"path\");\n\nfunction area(width, height) {{\n  const total = width * height;\n  return total + path.sep.length;\n}}\n\n",
               "function f{n}(shape, count) {{\n  const result = {word}(shape);\n  return result + count;\n}}\n\n", "module.exports = {{ area }};\n"),
}


def plain_words(count, rng):
    """Words of Python's documentation."""
    from pydoc_data import topics

    text = " ".join(topics.topics.values())
    words = collections.Counter(re.findall(r"(?<![\w.`*])[a-z]{4,10}(?![\w.`*(])", text))
    known = sorted(word for word, often in words.items() if often > 2 and word not in KEYWORDS)
    return rng.sample(known, min(count, len(known)))


def replaced_words(binary, tool, words):
    """The words that a tool reports, and the words that were changed."""
    name, head, body, tail = WORDS_IN[tool]
    changed, reported = [], 0
    with tempfile.TemporaryDirectory(prefix="words-") as root:
        root = pathlib.Path(root).resolve()
        laid, texts = [], []
        for number in range(0, len(words), 20):
            part = words[number:number + 20]
            text = head.format() + "".join(body.format(n=n, word=word) for n, word in enumerate(part)) + tail.format()
            folder = root / f"w{number}" / "p"
            files = {name: text, "go.mod": "module example.com/a\n\ngo 1.19\n"} if tool == "go" else {name: text}
            project = Project("words", {**files, "edition": "2021"}, name, name)
            lay_out(folder, project, text)
            laid.append((folder, project))
            texts.append((part, text))
        run = {"javac": javac, "eslint": eslint, "tsc": alone_tsc}.get(tool, TOOLS[tool][2])
        if tool == "rustc":
            run = each(lambda _: ["rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "--out-dir=out", "--error-format=json", "case.rs"])
        for (folder, _), (part, text), said in zip(laid, texts, run([it[0] for it in laid], [it[1] for it in laid])):
            corpus.fix(binary, folder, said, "--write")
            ending = pathlib.Path(name).suffix
            after, before = code_of((folder / name).read_text(), ending), code_of(text, ending)
            for word in part:
                reported += bool(re.search(rf"\b{word}\b", said))
                if len(re.findall(rf"\b{word}\b", after)) < len(re.findall(rf"\b{word}\b", before)):
                    lines = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line.startswith("- ") and word in line]
                    changed.append((word, lines[:1]))
    return reported, changed


def alone_tsc(folders, _projects):
    command = ["node", str(corpus.HERE / "each.mjs"), str(NODE / "typescript"), "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom"]
    names = {str(folder.parent.name): folder for folder in folders}
    said = {}
    for name, folder in names.items():
        said[folder] = corpus.output([*command, "--pretty", "false", "--", str(folder)], folder.parent)
    return [said[folder] for folder in folders]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--each", type=int, default=160)
    parser.add_argument("--words", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--show", nargs="*", default=["new", "meaning"])
    parser.add_argument("tools", nargs="*")
    given = parser.parse_args()
    binary = os.path.realpath(given.binary)
    here = [tool for tool in given.tools or TOOLS if is_here(tool)]
    for tool in set(given.tools or TOOLS) - set(here):
        print(f"skipped: {tool}: it is not on this machine")
    total, failed = collections.Counter(), 0
    print(f"{'':10}" + "".join(f"{it:>9}" for it in ["n", *OUTCOMES]))
    for tool in here if given.each else []:
        started = time.monotonic()
        bench = Bench(binary, tool, given.each, given.seed)
        total += bench.by_kind
        for outcome, shown in bench.shown:
            if outcome in given.show:
                print(shown)
        counts = [sum(n for (_, it), n in bench.by_kind.items() if it == outcome) for outcome in OUTCOMES]
        print(f"{tool:10}" + "".join(f"{it:9}" for it in [sum(counts), *counts]) + f"   {time.monotonic() - started:4.0f} s", flush=True)
    for kind in KINDS if given.each else []:
        counts = [total[kind, outcome] for outcome in OUTCOMES]
        print(f"{kind:15}" + "".join(f"{it:8}" for it in [sum(counts), *counts]))
    if given.each:
        counts = {outcome: sum(n for (_, it), n in total.items() if it == outcome) for outcome in OUTCOMES}
        programs = sum(counts.values())
        share = lambda it: 100 * counts[it] / max(programs, 1)
        print(f"all: {programs} mutants, {share('mended'):.1f} % mended, {share('new'):.2f} % with new reports, "
              f"{counts['meaning']} that mean something else")
        failed += share("new") > 0.3 or counts["meaning"] > 0 or share("mended") < 60
    for tool in here if given.words else []:
        if tool in WORDS_IN:
            reported, changed = replaced_words(binary, tool, plain_words(given.words, random.Random(given.seed)))
            print(f"{tool:10}{reported:5} plain words reported, {len(changed)} replaced {changed[:8]}", flush=True)
            failed += bool(changed) or reported == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
