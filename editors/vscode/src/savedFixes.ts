// Says what a save has fixed: VS Code applies these edits without a word.

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient';
import { fixText } from './fixText';
import { applyReplacements, replacement } from './replacements';

/** How long a message stays in the status bar. */
const MESSAGE_MS = 5000;

/** The fixes that were last offered for a document. */
interface Offered {
  readonly said: string;
  /** The document's text once they are applied. */
  readonly text: string;
  readonly isApplied: boolean;
}

export class SavedFixes implements vscode.Disposable {
  private readonly offered = new WeakMap<vscode.TextDocument, Offered>();
  private readonly subscription: vscode.Disposable;

  constructor() {
    this.subscription = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const offered = this.offered.get(document);
        if (offered && !offered.isApplied && contentChanges.length > 0) {
          if (document.getText() === offered.text) {
            this.offered.set(document, { ...offered, isApplied: true });
          } else {
            this.offered.delete(document);
          }
        }
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        const offered = this.offered.get(document);
        this.offered.delete(document);
        if (offered?.isApplied) {
          vscode.window.setStatusBarMessage(`Tandem: ${offered.said}`, MESSAGE_MS);
        }
      }),
    );
  }

  dispose(): void {
    this.subscription.dispose();
  }

  readonly provideCodeActions: NonNullable<Middleware['provideCodeActions']> = async (
    document,
    range,
    context,
    token,
    next,
  ) => {
    const actions = await next(document, range, context, token);
    if (context.only && vscode.CodeActionKind.SourceFixAll.intersects(context.only)) {
      const edits = actions?.flatMap((it) => ('edit' in it ? (it.edit?.get(document.uri) ?? []) : []));
      this.note(document, edits ?? []);
    }
    return actions;
  };

  readonly willSaveWaitUntil: NonNullable<Middleware['willSaveWaitUntil']> = (event, next) => {
    const { document } = event;
    return next(event).then((edits) => {
      this.note(document, edits);
      return edits;
    });
  };

  private note(document: vscode.TextDocument, edits: readonly vscode.TextEdit[]): void {
    const sorted = edits.toSorted((a, b) => a.range.start.compareTo(b.range.start));
    const said = fixText(sorted.map(({ range, newText }) => ({ old: document.getText(range), text: newText })));
    if (said === undefined) {
      this.offered.delete(document);
      return;
    }
    const replacements = edits.map(({ range, newText }) => replacement(document, range, newText));
    this.offered.set(document, {
      said,
      text: applyReplacements(document.getText(), replacements),
      isApplied: false,
    });
  }
}
