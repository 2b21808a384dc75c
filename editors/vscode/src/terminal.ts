// The certain fixes of what a command printed in a terminal: a compiler, a linter, a test run. No model takes part.

import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient';
import { run } from './child';
import { show, warn } from './messages';
import type { Server } from './server';
import { appended, type ByteEdit, hasPlaces, offsets, shownLines } from './terminalOutput';

/** How long the program may take, in ms. */
const TIMEOUT_MS = 60_000;

interface Report {
  readonly files: readonly {
    readonly path: string;
    readonly edits: readonly ByteEdit[];
    readonly fixes: readonly unknown[];
  }[];
}

export class TerminalFixes implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  /** The last command whose output speaks of places in files. */
  private last: { readonly output: string; readonly folder: string } | undefined;

  constructor(server: Server) {
    this.server = server;
    this.subscriptions = [
      vscode.window.onDidStartTerminalShellExecution((event) => void this.watch(event)),
      vscode.commands.registerCommand('tandem.fixTerminal', () => this.fix()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Keeps what a command prints. It is not read before the user asks for fixes. */
  private async watch({ execution, shellIntegration }: vscode.TerminalShellExecutionStartEvent): Promise<void> {
    const folder = (execution.cwd ?? shellIntegration.cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri)?.fsPath;
    let output = '';
    for await (const piece of execution.read()) {
      output = appended(output, piece);
    }
    if (folder !== undefined && hasPlaces(output)) {
      this.last = { output, folder };
    }
  }

  private async fix(): Promise<void> {
    const program = this.server.program?.path;
    if (!this.last || program === undefined) {
      const why =
        program === undefined ? 'the program is not running' : 'no command in a terminal has reported an error yet';
      void show(MessageType.Info, why);
      return;
    }
    const { output, folder } = this.last;
    try {
      const report = await found(program, folder, shownLines(output));
      void show(MessageType.Info, await apply(report, folder));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      void warn(`the fixes cannot be made: ${message}`);
    }
  }
}

/** What the program finds in an output, as JSON. Nothing is written. */
async function found(program: string, folder: string, input: string): Promise<Report> {
  const args = ['fix', '--diagnostics', '-', '--json'];
  const { code, output, failure } = await run(program, args, { cwd: folder, input, timeout: TIMEOUT_MS });
  if (code !== 0) {
    throw failure;
  }
  return JSON.parse(output) as Report;
}

/** Makes the edits in the editor, where they can be undone, and reports them. */
async function apply(report: Report, folder: string): Promise<string> {
  const edit = new vscode.WorkspaceEdit();
  let [fixes, files] = [0, 0];
  const left: string[] = [];
  for (const file of report.files.filter((it) => it.edits.length > 0)) {
    const uri = vscode.Uri.file(path.join(folder, file.path));
    const document = await vscode.workspace.openTextDocument(uri);
    const places = offsets(document.getText(), await readFile(uri.fsPath), file.edits);
    if (!places) {
      left.push(file.path);
      continue;
    }
    for (const { start, end, text } of places) {
      edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
    }
    [fixes, files] = [fixes + file.fixes.length, files + 1];
  }
  const unsaved = left.length > 0 ? `; skipped, as they have unsaved changes: ${left.join(', ')}` : '';
  if (files === 0) {
    return `no error has exactly one fix${unsaved}`;
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('the text has changed meanwhile');
  }
  return `made ${fixes} fix${fixes === 1 ? '' : 'es'} in ${files} file${files === 1 ? '' : 's'}${unsaved}`;
}
