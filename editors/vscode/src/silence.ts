// Points once to the reasons if nothing was shown for a while.

import * as vscode from 'vscode';
import type { Ghost } from './ghost';
import type { NextEdit } from './nextEdit';
import { isSupported } from './server';

/** The changes in a row after which nothing was shown for a while: a few minutes of typing. */
const MAX_CHANGES = 200;
/** In VS Code's storage: whether that was done. */
const SAID = 'tandem.silenceExplained';

export class Silence implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly storage: vscode.Memento;
  private changes = 0;

  constructor(ghost: Ghost, nextEdit: NextEdit, storage: vscode.Memento) {
    this.storage = storage;
    const reset = () => {
      this.changes = 0;
    };
    this.subscriptions = storage.get(SAID)
      ? []
      : [
          ghost.onDidChange(reset),
          nextEdit.onDidShow(reset),
          vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
            const isHere = document === vscode.window.activeTextEditor?.document;
            if (isHere && contentChanges.length > 0 && isSupported(document)) {
              this.count();
            }
          }),
        ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async count(): Promise<void> {
    this.changes += 1;
    if (this.changes !== MAX_CHANGES) {
      return;
    }
    this.dispose();
    await this.storage.update(SAID, true);
    const why = 'Why?';
    const message = 'Tandem has made no suggestions for a while.';
    if ((await vscode.window.showInformationMessage(message, why)) === why) {
      await vscode.commands.executeCommand('tandem.whyNothing');
    }
  }
}
