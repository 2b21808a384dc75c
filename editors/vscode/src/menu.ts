// Whether the completion menu is open, derived from requests: VS Code does not report it.
//
// While the user types, VS Code requests ghost text for each selected entry, and without one when the menu closes. A
// menu that opens later, by Ctrl+Space, asks the providers of entries; this module is one, with none to offer.

import * as vscode from 'vscode';
import { SELECTOR } from './server';

/** How long after a change a request for entries may still be due to it: a busy machine is slow. */
const TYPING_MS = 1000;

export class Menu implements vscode.Disposable {
  /** Fires when the menu has opened or closed. */
  readonly onDidChange: vscode.Event<void>;
  /** Whether a request for entries means that the menu opens on request. */
  opensOnRequest: () => boolean = () => false;

  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  private open = false;
  /** Whether it was opened by Ctrl+Space: requests for ghost text then do not mention it. */
  private isOnRequest = false;
  /** When the text last changed, in milliseconds. */
  private changedAt = 0;
  /** Whether no entries were requested since. */
  private isChangeNew = false;
  /** The word that the menu completes. */
  private word: vscode.Range | undefined;

  constructor() {
    this.onDidChange = this.changed.event;
    this.subscriptions = [
      this.changed,
      vscode.languages.registerCompletionItemProvider(SELECTOR, {
        provideCompletionItems: (document, position) => {
          // The first request after a change may be due to it.
          const isDueToChange = this.isChangeNew && Date.now() - this.changedAt < TYPING_MS;
          this.isChangeNew = false;
          if (this.opensOnRequest() && !isDueToChange) {
            this.isOnRequest = true;
            this.set(true, document, position);
          }
          return undefined;
        },
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections: [selection] }) => {
        if (this.open && textEditor === vscode.window.activeTextEditor) {
          // Within the word, the menu stays open.
          const stays = selection?.isEmpty && this.word?.contains(selection.active);
          this.set(stays === true);
        }
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document) {
          this.changedAt = Date.now();
          this.isChangeNew = true;
          this.set(false);
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.set(false)),
      vscode.commands.registerCommand('tandem.closeMenu', async () => {
        await vscode.commands.executeCommand('hideSuggestWidget');
        this.set(false);
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Whether the menu is open with a selected entry. */
  get isOpen(): boolean {
    return this.open;
  }

  /** Ghost text is requested, with an entry of the menu selected or without. */
  onInlineRequest(document: vscode.TextDocument, position: vscode.Position, hasEntry: boolean): void {
    if (document === vscode.window.activeTextEditor?.document && (hasEntry || !this.isOnRequest)) {
      this.set(hasEntry, document, position);
    }
  }

  private set(open: boolean, document?: vscode.TextDocument, position?: vscode.Position): void {
    if (open && document && position) {
      this.word = document.getWordRangeAtPosition(position) ?? new vscode.Range(position, position);
    }
    this.isOnRequest &&= open;
    if (open !== this.open) {
      this.open = open;
      this.changed.fire();
    }
  }
}
