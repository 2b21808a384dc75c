// The reports of the doctor and on usage, as pages: VS Code opens a terminal only in a workspace that is trusted.

import * as os from 'node:os';
import * as vscode from 'vscode';
import { run } from './child';
import { warn } from './messages';
import type { Pages } from './pages';
import type { Program } from './program';

/** Commands whose output is a report, each with its page's title and what it does until then. */
const REPORTS = { doctor: ['Doctor', 'checking'], usage: ['Usage', 'adding up'] } as const;

export type ReportName = keyof typeof REPORTS;

/** Runs such a command, and shows what it prints. */
export async function openReport(program: Program, command: ReportName, pages: Pages): Promise<void> {
  const [title, doing] = REPORTS[command];
  // Nothing of a workspace that is not trusted has a say.
  const { isTrusted, workspaceFolders } = vscode.workspace;
  const cwd = isTrusted ? workspaceFolders?.[0]?.uri.fsPath : os.homedir();
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: `Tandem: ${doing}`,
    cancellable: true,
  };
  try {
    const { output, failure } = await vscode.window.withProgress(progress, (_, token) =>
      run(program.path, [command], { cwd, token }),
    );
    await pages.page(title).show(output.trim() || failure.message);
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) {
      await warn(error instanceof Error ? error.message : String(error));
    }
  }
}
