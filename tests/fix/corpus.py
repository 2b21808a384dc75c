"""Runs real tools on small programs with one error each.

    corpus.py record [TOOL...]            writes what the tools say to recorded/
    corpus.py check --binary B [--here] [TOOL...]
                                          fixes each program by `tandem fix`, and asks the same tool again

A file of cases/ has the programs of one tool. `=== name` begins a case, whose text is the file that the tool reads;
`//- name` begins another file beside it.

`check` counts the errors that are gone, and fails if a program has an error or warning that it did not have before, or if
fewer programs are mended than SHARE says. A tool that is not on the machine is skipped; with CI=true that is a failure,
unless `--here` asks for no more than what is there. The last line is `N passed, N failed`.
"""

import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tandem-tests" / "fix"
VENV = CACHE / "venv" / "bin"
# Without an installation, the Python that runs this is used.
PYTHON = str(VENV / "python") if (VENV / "python").exists() else sys.executable
NODE = CACHE / "node_modules"

ESLINT_CONFIG = """
import js from "@eslint/js";
export default [js.configs.recommended, { rules: {
  "prefer-const": "error", "no-var": "error", "semi": "error", "eqeqeq": "error", "object-shorthand": "error",
  "curly": "error", "no-extra-boolean-cast": "error" } }];
"""
RUSTC = ["rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "--out-dir=out"]
RUFF = [str(VENV / "ruff"), "check", "--no-cache", "--isolated", "--select=E,F,W"]
MYPY = [str(VENV / "mypy"), f"--cache-dir={CACHE / 'mypy'}"]
# These take most of their time to start, so one process reads all programs.
ESLINT = ["node", str(HERE / "each.mjs"), str(NODE / "eslint")]
TSC = [
    "node", str(HERE / "each.mjs"), str(NODE / "typescript"), "--noEmit", "--strict", "--noUnusedLocals", "--target",
    "es2022", "--lib", "es2022", "--module", "nodenext", "--noErrorTruncation",
]
JAVAC = ["java", "-Duser.language=en", str(HERE / "Each.java")]
GCC = ["gcc", "-Wall", "-fsyntax-only"]

# Seconds for one run of a tool, on a busy machine.
TIMEOUT = 900
# Minimum percentage of the programs that rules fix.
SHARE = 45

# By name: the main file of a case, and the command.
TOOLS = {
    "rustc": ("case.rs", [*RUSTC, "--error-format=json", "case.rs"]),
    "rustc-text": ("case.rs", [*RUSTC, "case.rs"]),
    "ruff": ("case.py", [*RUFF, "--output-format=json", "case.py"]),
    "ruff-concise": ("case.py", [*RUFF, "--output-format=concise", "case.py"]),
    "ruff-full": ("case.py", [*RUFF, "--output-format=full", "case.py"]),
    "ruff-sarif": ("case.py", [*RUFF, "--output-format=sarif", "case.py"]),
    "mypy": ("case.py", [*MYPY, "case.py"]),
    "mypy-json": ("case.py", [*MYPY, "--output=json", "case.py"]),
    "python": ("case.py", [PYTHON, "case.py"]),
    "pytest": ("test_case.py", [str(VENV / "pytest"), "-p", "no:cacheprovider", "test_case.py"]),
    "tsc": ("case.ts", [*TSC, "--pretty", "false"]),
    "tsc-pretty": ("case.ts", [*TSC, "--pretty", "true"]),
    "eslint": ("case.js", [*ESLINT, "json"]),
    "eslint-stylish": ("case.js", [*ESLINT, "stylish"]),
    "gcc": ("case.c", [*GCC, "case.c"]),
    "gcc-json": ("case.c", [*GCC, "-fdiagnostics-format=json", "case.c"]),
    "clang": ("case.cpp", ["clang++", "-Wall", "-fsyntax-only", "-fno-color-diagnostics", "case.cpp"]),
    "go": ("case.go", ["go", "build", "-o", os.devnull, "./..."]),
    "javac": ("Case.java", JAVAC),
}
# Tools that take the folders of all programs, after `--`.
TOGETHER = ("tsc", "eslint", "javac")
# Tools whose programs are fixed; the others read the same programs in another format.
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
    """Writes a program, and the other files that its tool needs."""
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


def run(tool, folders):
    """The output of a tool for the program in each of these folders, by folder name. Each run starts from scratch."""
    if tool.split("-")[0] in TOGETHER:
        command = [*TOOLS[tool][1], "--", *map(str, folders)]
        all_said = dict(sections(output(command, folders[0].parent))) if folders else {}
    else:
        all_said = {folder.name: output(TOOLS[tool][1], folder) for folder in folders}
    for folder in folders:
        shutil.rmtree(folder / "out", ignore_errors=True)
        said = all_said[folder.name]
        if tool.endswith("-sarif"):
            said = without_rules(said)
        real = str(folder)
        all_said[folder.name] = said.replace(f"file://{real}/", "").replace(f"{real}/", "").replace(real, ".")
    return all_said


def output(command, folder):
    """The output of a command in a folder."""
    environment = {**os.environ, "NO_COLOR": "1", "GOFLAGS": "-mod=mod", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "120"}
    environment.pop("CI", None)
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT
    )
    return done.stdout + done.stderr


def anonymous(said):
    """An output without the parts that differ between machines."""
    said = re.sub(r"\bin \d+\.\d+s", "in 0.01s", said)
    return re.sub(r"(?:\.\./|/)[^\s\"':]*?/(?=lib/python3|toolchains/)", "/opt/", said)


def without_rules(said):
    """A SARIF log without the texts about its rules, which fill most of it."""
    log = json.loads(said)
    for each_run in log["runs"]:
        each_run["tool"]["driver"]["rules"] = []
    return json.dumps(log, indent=2)


@contextlib.contextmanager
def programs(tool):
    """The folders of a tool's programs, which exist until the block ends."""
    with tempfile.TemporaryDirectory() as root:
        folders = []
        for name, files in cases(tool):
            folder = pathlib.Path(root).resolve() / name
            folder.mkdir()
            lay_out(folder, tool, files)
            folders.append(folder)
        yield folders


def is_here(tool):
    """Whether a tool is available."""
    base = tool.split("-")[0]
    program = {"tsc": NODE / "typescript", "eslint": NODE / "eslint"}.get(base) or TOOLS[tool][1][0]
    program = "javac" if base == "javac" else str(program)
    return os.path.isabs(program) and os.path.exists(program) or shutil.which(program) is not None


def record(tools):
    (HERE / "recorded").mkdir(exist_ok=True)
    for tool in tools or TOOLS:
        with programs(tool) as folders:
            said = run(tool, folders)
        parts = [f"=== {name}\n{text.rstrip()}\n" for name, text in said.items()]
        (HERE / "recorded" / f"{tool}.txt").write_text(anonymous("".join(parts)))
        print(f"{tool}: {len(parts)} programs", flush=True)


def fix(binary, folder, output, *options):
    """The findings of `tandem fix` in an output."""
    done = subprocess.run(
        [binary, "fix", "--diagnostics", "-", "--json", *options],
        cwd=folder, input=output, capture_output=True, text=True, check=False,
    )
    # The output of a program itself is not a report.
    if done.returncode == 2 and "as the output of a known tool" in done.stderr:
        return {"diagnostics": [], "files": []}
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def troubles(found):
    """The diagnostics among the findings, counted by message."""
    # Positions in a message move with the code.
    words = lambda it: re.sub(r"\d+", "#", it["message"])
    worst = [it for it in found["diagnostics"] if it["severity"] in ("error", "warning")]
    return collections.Counter((it["path"], it.get("code"), words(it)) for it in worst)


class Checked:
    """The outcome for a tool's programs."""

    def __init__(self, binary, tool):
        self.binary, self.tool, self.lines = binary, tool, []
        self.all = self.fixed = self.failed = 0
        started = time.monotonic()
        try:
            with programs(tool) as folders:
                self.check(folders)
            if not self.all:
                self.fail("reports nothing of any program")
        except (OSError, RuntimeError, KeyError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
            self.fail(f"{type(error).__name__}: {error}")
        seconds = time.monotonic() - started
        self.lines.append(f"{tool:8} {self.fixed:3} of {self.all:3} programs are mended by rule, {seconds:3.0f} s")

    def fail(self, what):
        self.failed += 1
        self.lines.append(f"FAIL  {self.tool} {what}")

    def check(self, folders):
        before, changed = {}, {}
        for name, said in run(self.tool, folders).items():
            found = fix(self.binary, folders[0].parent / name, said, "--write")
            before[name] = troubles(found)
            if not before[name]:
                self.lines.append(f"note: {self.tool} has nothing to say of {name}")
                continue
            self.all += 1
            if any(it["edits"] for it in found["files"]):
                changed[name] = found["files"]
        again = [folder for folder in folders if folder.name in changed]
        for name, said in run(self.tool, again).items():
            after = troubles(fix(self.binary, folders[0].parent / name, said))
            new, gone = after - before[name], before[name] - after
            if new:
                self.fail(f"{name}: {json.dumps(changed[name])} brings {dict(new)}")
            self.fixed += bool(gone) and not new


def check(binary, tools, is_here_enough):
    failed = 0
    wanted = tools or CHECKED
    here = [tool for tool in wanted if is_here(tool)]
    for tool in wanted:
        if tool in here:
            continue
        if os.environ.get("CI") == "true" and not is_here_enough:
            print(f"FAIL  {tool} is not on this machine")
            failed += 1
        else:
            print(f"skipped: {tool}: it is not on this machine")
    # Most of them use one thread each.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        checked = []
        for it in pool.map(lambda tool: Checked(binary, tool), here):
            print("\n".join(it.lines), flush=True)
            checked.append(it)
    total, fixed = sum(it.all for it in checked), sum(it.fixed for it in checked)
    failed += sum(it.failed for it in checked)
    passed = total - sum(min(it.failed, it.all) for it in checked)
    if total:
        share = 100 * fixed // total
        print(f"all      {fixed:3} of {total:3} ({share} %)")
        if share < SHARE and not tools:
            failed += 1
            print(f"FAIL  that is less than {SHARE} %")
    if not tools and is_here("rustc"):
        if check_project(binary):
            passed += 1
        else:
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def check_project(binary):
    """Whether a project that does not compile does so after `tandem fix` has read the compiler's reports."""
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
        # The page on the command line shows the output of exactly these commands.
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
        tools = [it for it in rest[2:] if it != "--here"]
        return check(str(pathlib.Path(rest[1]).resolve()), tools, "--here" in rest)
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
