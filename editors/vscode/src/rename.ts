// A rename made by the language's own extension, which knows what a name means. See editors/protocol.md, "Renames".

import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Rename } from './protocol';
import { NO_EDITS } from './replacements';
import { settings } from './server';

/** How often the new name is put where the old one was put back, while keys come between. */
const MOST_ATTEMPTS = 50;

export type RenameOutcome =
  | { readonly kind: 'renamed'; readonly files: number }
  /** The user typed meanwhile. */
  | { readonly kind: 'stopped' }
  /** No extension can rename here, or it has failed. */
  | { readonly kind: 'failed' };

/** Has the language's own extension rename. The text is as it was, unless that has or the user has typed. */
export async function renameByLanguage(client: LanguageClient, rename: Rename): Promise<RenameOutcome> {
  const uri = client.protocol2CodeConverter.asUri(rename.textDocument.uri);
  const range = client.protocol2CodeConverter.asRange(rename.range);
  const editor = vscode.window.visibleTextEditors.find((it) => it.document.uri.toString() === uri.toString());
  const timeout = settings().get<number>('nextEdit.renameTimeout', 1000);
  if (
    timeout <= 0 ||
    !editor ||
    editor.document.version !== rename.textDocument.version ||
    editor.document.getText(range) !== rename.to
  ) {
    return { kind: 'failed' };
  }
  const { document } = editor;
  const { from, to } = rename;
  // It is to see a program in which the uses have a declaration.
  if (!(await editor.edit((it) => it.replace(range, from), { undoStopBefore: true, undoStopAfter: false }))) {
    return { kind: 'failed' };
  }
  const declaration = new Declaration(document, document.offsetAt(range.start), from);
  try {
    const edit = await Promise.race([ask(uri, range.start, to), sleep(timeout), declaration.touched]);
    const own = edit?.get(uri) ?? [];
    if (!declaration.isTouched && edit && own.some((it) => it.range.intersection(range))) {
      const files = edit.entries().length;
      // One undo takes it back with the name that was put back for it; what it does to other files is done apart.
      edit.set(uri, NO_EDITS);
      const applied = editor.edit(
        (it) => {
          for (const { range, newText } of own) {
            it.replace(range, newText);
          }
        },
        { undoStopBefore: false, undoStopAfter: true },
      );
      if (await applied) {
        await vscode.workspace.applyEdit(edit);
        return { kind: 'renamed', files };
      }
    }
    const { isTouched } = declaration;
    if (!isTouched && editor === vscode.window.activeTextEditor) {
      // No trace is left in what can be undone.
      await vscode.commands.executeCommand('undo');
    }
    // An edit of an older text is not made: a key may come between.
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const { range: left } = declaration;
      if (!left || document.getText(left) !== from) {
        break;
      }
      if (await editor.edit((it) => it.replace(left, to), { undoStopBefore: false, undoStopAfter: true })) {
        break;
      }
    }
    return { kind: isTouched ? 'stopped' : 'failed' };
  } finally {
    declaration.dispose();
  }
}

/** The answer of the language's own extension; undefined if it has none. */
async function ask(uri: vscode.Uri, at: vscode.Position, to: string): Promise<vscode.WorkspaceEdit | undefined> {
  try {
    return await vscode.commands.executeCommand<vscode.WorkspaceEdit>(
      'vscode.executeDocumentRenameProvider',
      uri,
      at,
      to,
    );
  } catch {
    // The command fails with the reason why the extension refuses, or if it has none.
    return undefined;
  }
}

/** The name that was put back, wherever it is while other text changes. */
class Declaration implements vscode.Disposable {
  /** Resolves when the document changes. */
  readonly touched: Promise<undefined>;
  isTouched = false;
  private readonly document: vscode.TextDocument;
  private readonly subscription: vscode.Disposable;
  private readonly length: number;
  private at: number | undefined;

  constructor(document: vscode.TextDocument, at: number, name: string) {
    this.document = document;
    this.at = at;
    this.length = name.length;
    let touch: (value: undefined) => void;
    this.touched = new Promise((resolve) => {
      touch = resolve;
    });
    this.subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && event.contentChanges.length > 0) {
        this.isTouched = true;
        this.at = this.after(event.contentChanges);
        touch(undefined);
      }
    });
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Where it is; undefined if it was changed. */
  get range(): vscode.Range | undefined {
    if (this.at === undefined) {
      return undefined;
    }
    return new vscode.Range(this.document.positionAt(this.at), this.document.positionAt(this.at + this.length));
  }

  private after(changes: readonly vscode.TextDocumentContentChangeEvent[]): number | undefined {
    let at = this.at;
    // VS Code lists them from the last to the first, by offsets before all of them.
    for (const { rangeOffset, rangeLength, text } of changes) {
      if (at === undefined || rangeOffset >= at + this.length) {
        continue;
      }
      at = rangeOffset + rangeLength <= at ? at + text.length - rangeLength : undefined;
    }
    return at;
  }
}
