// The report of a command in a terminal: the doctor's, or that on usage. VS Code closes the terminal of a program that
// ends; this one stays open to be read.

import { type ChildProcess, spawn } from 'node:child_process';
import * as vscode from 'vscode';
import type { Program } from './program';
import { settings } from './server';

const CONTROL_C = '\u0003';

/** Commands whose output is a report, each with its terminal's name and icon. */
const REPORTS = { doctor: ['Tandem Doctor', 'pulse'], usage: ['Tandem Usage', 'graph'] } as const;

export type ReportName = keyof typeof REPORTS;

/** Runs such a command in a new terminal. */
export function openReport(program: Program, command: ReportName): void {
  const [name, icon] = REPORTS[command];
  const pty = new Report(program, command);
  vscode.window.createTerminal({ name, pty, iconPath: new vscode.ThemeIcon(icon), isTransient: true }).show();
}

class Report implements vscode.Pseudoterminal {
  readonly onDidWrite: vscode.Event<string>;
  readonly onDidClose: vscode.Event<void>;
  private readonly written = new vscode.EventEmitter<string>();
  private readonly closed = new vscode.EventEmitter<void>();
  private readonly program: Program;
  private readonly command: ReportName;
  private child: ChildProcess | undefined;
  private hasEnded = false;

  constructor(program: Program, command: ReportName) {
    this.program = program;
    this.command = command;
    this.onDidWrite = this.written.event;
    this.onDidClose = this.closed.event;
  }

  open(): void {
    const env = {
      ...process.env,
      // It writes to a pipe here, and yet to a terminal.
      CLICOLOR_FORCE: '1',
      ...settings().get<Record<string, string>>('environment', {}),
    };
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    // Not through a shell: the path may contain any character.
    const child = spawn(this.program.path, [this.command], {
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.child = child;
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => this.write(text));
    }
    child.on('error', (error) => this.end(`${this.program.path} cannot be run: ${error.message}\n`));
    child.on('close', () => this.end(''));
  }

  handleInput(keys: string): void {
    if (this.hasEnded) {
      this.closed.fire();
    } else if (keys === CONTROL_C) {
      this.child?.kill();
    }
  }

  close(): void {
    this.child?.kill();
    vscode.Disposable.from(this.written, this.closed).dispose();
  }

  private write(text: string): void {
    this.written.fire(text.replaceAll(/\r?\n/g, '\r\n'));
  }

  private end(last: string): void {
    if (!this.hasEnded) {
      this.hasEnded = true;
      this.write(`${last}\nPress any key to close this terminal.\n`);
    }
  }
}
