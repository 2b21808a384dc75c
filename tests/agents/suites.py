"""The Model Context Protocol's own suites, run by Node.js: the conformance checks, and the inspector's command line."""

import collections
import json
import os
import pathlib
import subprocess
import tempfile

from bridge import Bridge

TIMEOUT = 120.0
# The scenarios that apply to a server of tools, by revision.
SCENARIOS = {
    "2025-06-18": ["server-initialize", "ping", "tools-list"],
    "2025-11-25": ["server-initialize", "ping", "tools-list"],
    "2026-07-28": ["server-stateless", "tools-list", "caching"],
}
# Checks of features that the server does not have and does not announce: tools of the suite's own fixture, prompts and
# resources.
UNSERVED = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
    "sep-2549-prompts-list-caching-hints",
    "sep-2549-resources-list-caching-hints",
    "sep-2549-resources-templates-list-caching-hints",
}


class Suites:
    """The packages of package.json, installed in a folder."""

    def __init__(self, folder):
        modules = pathlib.Path(folder) / "node_modules"
        [node] = modules.glob("node-linux-*/bin/node")
        self.node, self.programs = node, modules / ".bin"

    def run(self, program, *arguments, **options):
        path = f"{self.node.parent}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            [self.node, self.programs / program, *arguments], capture_output=True, text=True, timeout=TIMEOUT,
            env={**os.environ, **options, "PATH": path},
        )

    def conformance(self, command):
        """Runs the scenarios; returns the number of passed checks by revision."""
        passed = collections.Counter()
        with Bridge(command) as bridge, tempfile.TemporaryDirectory() as folder:
            for revision, scenarios in SCENARIOS.items():
                for scenario in scenarios:
                    results = pathlib.Path(folder) / revision / scenario
                    ran = self.run(
                        "conformance", "server", "--url", bridge.url, "--scenario", scenario,
                        "--spec-version", revision, "--output-dir", str(results),
                    )
                    [written] = results.rglob("checks.json")
                    checks = json.loads(written.read_text())
                    wrong = [check for check in checks if check["status"] in ("FAILURE", "WARNING")]
                    wrong = [check for check in wrong if check["id"] not in UNSERVED]
                    assert not wrong, f"{revision} {scenario}: {wrong[0]['id']}: {wrong[0].get('errorMessage')}"
                    fine = sum(check["status"] == "SUCCESS" for check in checks)
                    assert fine, f"{revision} {scenario} checked nothing: {ran.stdout}{ran.stderr}"
                    passed[revision] += fine
        return passed

    def inspect(self, command, era, *arguments):
        """The inspector's report on a server with which it uses revisions of an era."""
        ran = self.run("mcp-inspector", "--cli", *command, "--protocol-era", era, *arguments)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads(ran.stdout)
