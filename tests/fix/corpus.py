"""Runs real tools on small programs with one error each.

    corpus.py record [TOOL...]            writes what the tools say to recorded/
    corpus.py check --binary B [TOOL...]  fixes each program by `tandem fix`, and asks the same tool again

A file of cases/ has the programs of one tool. `=== name` begins a case, whose text is the file that the tool reads;
`//- name` begins another file beside it.

`check` counts the errors that are gone, and fails if a program has an error or warning that it did not have before. A tool
that is not on the machine is skipped; with CI=true that is a failure. The last line is `N passed, N failed`.
"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tandem-tests" / "fix"
VENV = CACHE / "venv" / "bin"
NODE = CACHE / "node_modules"

ESLINT_CONFIG = """
import js from "@eslint/js";
export default [js.configs.recommended, { rules: {
  "prefer-const": "error", "no-var": "error", "semi": "error", "eqeqeq": "error", "object-shorthand": "error",
  "curly": "error", "no-extra-boolean-cast": "error" } }];
"""
RUSTC = ["rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "--out-dir=out"]
RUFF = [str(VENV / "ruff"), "check", "--no-cache", "--isolated", "--select=E,F,W"]
ESLINT = ["node", str(NODE / "eslint" / "bin" / "eslint.js")]
TSC = [
    "node", str(NODE / "typescript" / "bin" / "tsc"), "--noEmit", "--strict", "--noUnusedLocals", "--target", "es2022",
    "--module", "nodenext", "--noErrorTruncation",
]
GCC = ["gcc", "-Wall", "-fsyntax-only"]

# Seconds for one run of a tool, on a machine that does much else.
TIMEOUT = 900

# By name: the file that a case is, the commands whose output is one report (later ones see if earlier ones are silent),
# and whether the tool counts warnings.
TOOLS = {
    "rustc": ("case.rs", [[*RUSTC, "--error-format=json", "case.rs"]]),
    "rustc-text": ("case.rs", [[*RUSTC, "case.rs"]]),
    "ruff": ("case.py", [[*RUFF, "--output-format=json", "case.py"]]),
    "ruff-concise": ("case.py", [[*RUFF, "--output-format=concise", "case.py"]]),
    "ruff-full": ("case.py", [[*RUFF, "--output-format=full", "case.py"]]),
    "ruff-sarif": ("case.py", [[*RUFF, "--output-format=sarif", "case.py"]]),
    "mypy": ("case.py", [[str(VENV / "mypy"), "--cache-dir=/dev/null", "case.py"]]),
    "mypy-json": ("case.py", [[str(VENV / "mypy"), "--cache-dir=/dev/null", "--output=json", "case.py"]]),
    "python": ("case.py", [[str(VENV / "python"), "case.py"]]),
    "pytest": ("test_case.py", [[str(VENV / "pytest"), "-p", "no:cacheprovider", "test_case.py"]]),
    "tsc": ("case.ts", [[*TSC, "--pretty", "false"]]),
    "tsc-pretty": ("case.ts", [[*TSC, "--pretty", "true"]]),
    "eslint": ("case.js", [[*ESLINT, "--format=json", "case.js"]]),
    "eslint-stylish": ("case.js", [[*ESLINT, "case.js"]]),
    "gcc": ("case.c", [[*GCC, "case.c"]]),
    "gcc-json": ("case.c", [[*GCC, "-fdiagnostics-format=json", "case.c"]]),
    "clang": ("case.cpp", [["clang++", "-Wall", "-fsyntax-only", "-fno-color-diagnostics", "case.cpp"]]),
    "go": ("case.go", [["go", "build", "-o", os.devnull, "./..."]]),
    "javac": ("Case.java", [["javac", "-J-Duser.language=en", "-d", "out", "Case.java"]]),
}
# Those whose programs are fixed; the others are the same programs in another format.
CHECKED = [name for name in TOOLS if "-" not in name]


def sections(text):
    """The parts of a text below lines such as `=== name`."""
    parts = re.split(r"^=== (\w+)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def cases(tool):
    """The programs of a tool: names, and files by name."""
    text = (HERE / "cases" / f"{tool.split('-')[0]}.txt").read_text()
    for name, body in sections(text):
        first, *others = re.split(r"^//- ", body, flags=re.M)
        files = {TOOLS[tool][0]: first}
        for other in others:
            path, content = other.split("\n", 1)
            files[path] = content
        yield name, files


def lay_out(folder, tool, files):
    """Writes a program, and what its tool needs beside it."""
    base = tool.split("-")[0]
    for path, content in files.items():
        (folder / path).write_text(content)
    if base == "eslint":
        (folder / "eslint.config.mjs").write_text(ESLINT_CONFIG)
        (folder / "node_modules").symlink_to(NODE)
    elif base == "tsc":
        (folder / "package.json").write_text('{ "type": "commonjs" }\n')
    elif base == "go":
        (folder / "go.mod").write_text("module example.com/a\n\ngo 1.19\n")


def run(folder, tool):
    """What a tool says of the program in a folder. It begins anew each time."""
    said = ""
    base = tool.split("-")[0]
    arguments = sorted(path.name for path in folder.glob("*.ts")) if base == "tsc" else []
    environment = {**os.environ, "NO_COLOR": "1", "GOFLAGS": "-mod=mod", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "120"}
    environment.pop("CI", None)
    for command in TOOLS[tool][1]:
        if base == "tsc":
            command = [*command, *arguments]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT
        )
        said += done.stdout + done.stderr
    shutil.rmtree(folder / "out", ignore_errors=True)
    if tool.endswith("-sarif"):
        said = without_rules(said)
    real = str(folder.resolve())
    return said.replace(f"file://{real}/", "").replace(f"{real}/", "").replace(real, ".")


def anonymous(said):
    """An output without what differs between two machines."""
    said = re.sub(r"\bin \d+\.\d+s", "in 0.01s", said)
    return re.sub(r"(?:\.\./|/)[^\s\"':]*?/(?=lib/python3|toolchains/)", "/opt/", said)


def without_rules(said):
    """A SARIF log without the texts about its rules, which fill most of it."""
    log = json.loads(said)
    for each_run in log["runs"]:
        each_run["tool"]["driver"]["rules"] = []
    return json.dumps(log, indent=2)


def each(tool, work):
    """Does something in a folder for each program of a tool."""
    for name, files in cases(tool):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder).resolve()
            lay_out(folder, tool, files)
            work(name, folder)


def is_here(tool):
    """Whether a tool can be run."""
    command = TOOLS[tool][1][0]
    program = pathlib.Path(command[1] if command[0] == "node" else command[0])
    return program.exists() if program.is_absolute() else shutil.which(str(program)) is not None


def record(tools):
    (HERE / "recorded").mkdir(exist_ok=True)
    for tool in tools or TOOLS:
        parts = []
        each(tool, lambda name, folder: parts.append(f"=== {name}\n{run(folder, tool).rstrip()}\n"))
        (HERE / "recorded" / f"{tool}.txt").write_text(anonymous("".join(parts)))
        print(f"{tool}: {len(parts)} programs", flush=True)


def troubles(binary, folder, output):
    """The diagnostics of an output, counted by what they say."""
    read = subprocess.run(
        [binary, "fix", "--diagnostics", "-", "--json"],
        cwd=folder, input=output, capture_output=True, text=True, check=False,
    )
    listed = json.loads(read.stdout)["diagnostics"]
    # Names of places in a message move with the code.
    words = lambda it: re.sub(r"\d+", "#", it["message"])
    return collections.Counter((it["path"], it.get("code"), words(it)) for it in listed if it["severity"] in ("error", "warning"))


def check(binary, tools):
    passed = failed = 0
    total = fixed_total = 0
    for tool in tools or CHECKED:
        if not is_here(tool):
            if os.environ.get("CI") == "true":
                print(f"FAIL  {tool} is not on this machine")
                failed += 1
            else:
                print(f"skipped: {tool}: it is not on this machine")
            continue
        counts = collections.Counter()

        def work(name, folder):
            nonlocal failed
            try:
                fix(name, folder)
            except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                failed += 1
                print(f"FAIL  {tool} {name}: {error}")

        def fix(name, folder):
            nonlocal passed, failed
            output = run(folder, tool)
            before = troubles(binary, folder, output)
            if not before:
                counts["none"] += 1
                print(f"note: {tool} has nothing to say of {name}")
                return
            done = subprocess.run(
                [binary, "fix", "--diagnostics", "-", "--write"],
                cwd=folder, input=output, capture_output=True, text=True, check=False,
            )
            counts["all"] += 1
            if done.returncode not in (0, 1):
                failed += 1
                print(f"FAIL  {tool} {name}: {done.stderr}")
                return
            if not done.stdout:
                passed += 1
                return
            after = troubles(binary, folder, run(folder, tool))
            new = after - before
            gone = before - after
            if new:
                failed += 1
                print(f"FAIL  {tool} {name}: brings {dict(new)}\n{done.stdout}")
            else:
                passed += 1
            counts["fixed"] += bool(gone)

        each(tool, work)
        total += counts["all"]
        fixed_total += counts["fixed"]
        print(f"{tool:8} {counts['fixed']:3} of {counts['all']:3} programs are mended by rule", flush=True)
    if total:
        print(f"all      {fixed_total:3} of {total:3} ({100 * fixed_total // total} %)")
    if not tools and is_here("rustc"):
        if check_project(binary):
            passed += 1
        else:
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def check_project(binary):
    """Whether a project whose code does not compile does so once the compiler's reports went through `tandem fix`."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / "broken"
        shutil.copytree(HERE / "broken", folder, ignore=shutil.ignore_patterns("target"))
        command = ["cargo", "check", "--offline", "--message-format=json"]
        first = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        fixed = subprocess.run(
            [binary, "fix", "--diagnostics", "-", "--write"],
            cwd=folder, input=first.stdout, capture_output=True, text=True, check=False,
        )
        second = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        is_mended = first.returncode != 0 and fixed.returncode == 0 and second.returncode == 0
        if not is_mended:
            print(f"FAIL  the broken project\n{fixed.stdout}{fixed.stderr}{second.stderr}")
        # The page on the command line shows a terminal in which just this was done.
        is_shown = fixed.stdout + fixed.stderr in (HERE / "../../editors/command-line.md").read_text()
        if not is_shown:
            print(f"FAIL  editors/command-line.md shows another output than\n{fixed.stdout}{fixed.stderr}")
        return is_mended and is_shown


def main():
    mode, *rest = sys.argv[1:] or ["-h"]
    if mode == "record":
        record(rest)
        return 0
    if mode == "check" and len(rest) > 1 and rest[0] == "--binary":
        return check(str(pathlib.Path(rest[1]).resolve()), rest[2:])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
