// Writes the message for what is staged into the box of Source Control.

import * as vscode from 'vscode';
import { run } from './child';
import { warn } from './messages';
import { sentence } from './remedies';
import type { Server } from './server';

const RESTORE = 'Restore';

/** What is used of the interface of VS Code's own Git extension. */
interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): Git;
}

interface Git {
  readonly repositories: readonly Repository[];
  getRepository(uri: vscode.Uri): Repository | null;
}

interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
}

export class CommitMessage implements vscode.Disposable {
  private readonly command: vscode.Disposable;
  private readonly server: Server;
  /** The folders for which a message is on its way. */
  private readonly writing = new Set<string>();

  constructor(server: Server) {
    this.server = server;
    this.command = vscode.commands.registerCommand('tandem.commitMessage', (clicked?: vscode.SourceControl) =>
      this.write(clicked?.rootUri),
    );
  }

  dispose(): void {
    this.command.dispose();
  }

  private async write(clicked: vscode.Uri | undefined): Promise<void> {
    try {
      const repository = await chosen(clicked);
      const folder = repository?.rootUri.fsPath;
      if (!repository || folder === undefined || this.writing.has(folder)) {
        return;
      }
      this.writing.add(folder);
      try {
        await this.fill(repository, folder);
      } finally {
        this.writing.delete(folder);
      }
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        void warn(error instanceof Error ? error.message : String(error));
      }
    }
  }

  private async fill({ inputBox }: Repository, folder: string): Promise<void> {
    const program = this.server.program?.path;
    if (program === undefined) {
      throw new Error(this.server.failure ?? 'no program has been found yet');
    }
    const { code, output, failure } = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: 'Tandem: writing the commit message',
        cancellable: true,
      },
      (_, token) => run(program, ['commit-message'], { cwd: folder, token }),
    );
    if (code !== 0) {
      throw failure;
    }
    const before = inputBox.value;
    const message = output.trimEnd();
    inputBox.value = message;
    if (before.trim() === '' || before === message) {
      return;
    }
    // The box knows no undo of this.
    const said = sentence('the message that was in the box is replaced');
    if ((await vscode.window.showInformationMessage(said, RESTORE)) === RESTORE) {
      inputBox.value = before;
    }
  }
}

/** The repository that was clicked, that of the open file, the only one, or the one that the user picks. */
async function chosen(clicked: vscode.Uri | undefined): Promise<Repository | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  const started = await extension?.activate();
  if (!started?.enabled) {
    throw new Error("VS Code's Git extension is switched off");
  }
  const git = started.getAPI(1);
  const uri = clicked ?? vscode.window.activeTextEditor?.document.uri;
  const known = uri ? git.getRepository(uri) : undefined;
  if (known) {
    return known;
  }
  if (git.repositories.length <= 1) {
    const [only] = git.repositories;
    if (!only) {
      throw new Error('no folder here is a Git repository');
    }
    return only;
  }
  const rows = git.repositories.map((repository) => ({
    label: vscode.workspace.asRelativePath(repository.rootUri),
    repository,
  }));
  return (await vscode.window.showQuickPick(rows, { title: 'Write the Commit Message: Repository' }))?.repository;
}
