// Runs the program beside the server, in the environment that the server has.

import { spawn } from 'node:child_process';
import * as vscode from 'vscode';
import { settings } from './server';

interface Options {
  readonly cwd?: string | undefined;
  /** Goes to standard input: arguments are visible to others. */
  readonly input?: string | undefined;
  /** How long it may take, in milliseconds. */
  readonly timeout?: number | undefined;
  readonly token?: vscode.CancellationToken | undefined;
}

/** How a run of the program ended. */
interface Run {
  readonly code: number | null;
  readonly output: string;
  /** Why it failed, as it reports it. */
  readonly failure: Error;
}

/**
 * Runs the program to its end.
 *
 * @throws {vscode.CancellationError} if it was cancelled, and another error if it cannot be started.
 */
export function run(program: string, args: readonly string[], options: Options = {}): Promise<Run> {
  const { cwd, input, timeout, token } = options;
  const env = { ...process.env, ...settings().get<Record<string, string>>('environment', {}) };
  return new Promise((resolve, reject) => {
    // Not through a shell: the path may contain any character.
    const child = spawn(program, args, { cwd, env, timeout, windowsHide: true });
    const cancelling = token?.onCancellationRequested(() => child.kill());
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      cancelling?.dispose();
      if (token?.isCancellationRequested) {
        return reject(new vscode.CancellationError());
      }
      const said = errors.trim().replace(/^tandem: /, '');
      const ended = signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
      resolve({ code, output, failure: new Error(said || ended) });
    });
    // It may end without having read.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}
