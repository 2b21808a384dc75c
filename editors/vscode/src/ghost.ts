// Ghost text: VS Code requests and draws it; this module reports to the server what was shown and accepted.
//
// The stable API reports full acceptance only, by running the item's command. An item counts as shown if the text and
// the cursor are unchanged shortly after it was returned. Partial accepts are derived from the document changes.

import * as vscode from 'vscode';
import { InlineCompletionRequest, type Middleware } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { PartialAccept } from './partialAccept';
import { settings } from './server';

/** VS Code draws within a frame or two of the answer. */
const RENDER_DELAY_MS = 50;

interface Suggestions {
  readonly document: vscode.TextDocument;
  readonly items: PartialAccept[];
}

export class Ghost implements vscode.Disposable {
  /** Fires when a suggestion was returned to the editor. */
  readonly onDidSuggest: vscode.Event<vscode.TextDocument>;

  private readonly suggested = new vscode.EventEmitter<vscode.TextDocument>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly client: () => LanguageClient | undefined;
  private current: Suggestions | undefined;
  /** Whether a partial accept command is running, which makes the next change. */
  private isAcceptingPart = false;

  constructor(client: () => LanguageClient | undefined) {
    this.client = client;
    this.onDidSuggest = this.suggested.event;
    this.subscriptions = [
      this.suggested,
      vscode.workspace.onDidChangeTextDocument((event) => this.onChange(event)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.onSelectionChange(event)),
      vscode.commands.registerCommand('tandem.acceptNextWord', () =>
        this.acceptPart('editor.action.inlineSuggest.acceptNextWord'),
      ),
      vscode.commands.registerCommand('tandem.acceptNextLine', () =>
        this.acceptPart('editor.action.inlineSuggest.acceptNextLine'),
      ),
      vscode.commands.registerCommand('tandem.dismiss', () => this.dismiss()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Whether this document has a suggestion at the cursor. */
  hasSuggestion(document: vscode.TextDocument): boolean {
    return this.current?.document === document;
  }

  readonly provide: NonNullable<Middleware['provideInlineCompletionItems']> = async (
    document,
    position,
    context,
    token,
  ) => {
    const client = this.client();
    if (!client || !settings().get<boolean>('ghostText', true)) {
      return [];
    }
    const version = document.version;
    const standard = client.code2ProtocolConverter.asInlineCompletionParams(document, position, context);
    // An extension of the protocol: the server answers nothing for an outdated version.
    const params = { ...standard, textDocument: { ...standard.textDocument, version } };
    const answer = await client.sendRequest(InlineCompletionRequest.type, params, token).catch(() => null);
    // The answer is for an outdated text, so it is not tracked.
    if (token.isCancellationRequested || document.version !== version) {
      return [];
    }
    const result = await client.protocol2CodeConverter.asInlineCompletionResult(answer ?? [], token);
    const items = Array.isArray(result) ? result : (result?.items ?? []);
    this.track(document, items);
    if (items[0]) {
      this.suggested.fire(document);
      const matchesMenu =
        !context.selectedCompletionInfo || textOf(items[0]).startsWith(context.selectedCompletionInfo.text);
      setTimeout(() => this.notifyShown(document, version, position, matchesMenu), RENDER_DELAY_MS);
    }
    return items;
  };

  private track(document: vscode.TextDocument, results: vscode.InlineCompletionItem[]): void {
    const items = results.flatMap((item) => {
      const id: unknown = item.command?.arguments?.[0];
      const range = item.range;
      if (typeof id !== 'number' || !range) {
        return [];
      }
      const from = document.offsetAt(range.start);
      return PartialAccept.create(id, textOf(item), document.getText(range), from) ?? [];
    });
    this.current = items.length > 0 ? { document, items } : undefined;
  }

  private notifyShown(
    document: vscode.TextDocument,
    version: number,
    position: vscode.Position,
    matchesMenu: boolean,
  ): void {
    const editor = vscode.window.activeTextEditor;
    const id = this.current?.document === document ? this.current.items[0]?.id : undefined;
    const isCursorUnmoved = editor?.document === document && editor.selection.active.isEqual(position);
    if (id !== undefined && matchesMenu && isCursorUnmoved && document.version === version) {
      void this.client()?.sendNotification('tandem/didShow', { item: id });
    }
  }

  private onChange(event: vscode.TextDocumentChangeEvent): void {
    if (this.current?.document !== event.document || event.contentChanges.length === 0) {
      return;
    }
    const remaining = this.current.items.filter((suggestion) => {
      const outcome = suggestion.update(event.contentChanges, this.isAcceptingPart);
      if (outcome === 'part') {
        const params = { item: suggestion.id, acceptedLength: suggestion.accepted };
        void this.client()?.sendNotification('tandem/didPartiallyAccept', params);
      }
      return outcome !== 'over';
    });
    this.current = remaining.length > 0 ? { document: event.document, items: remaining } : undefined;
  }

  private onSelectionChange(event: vscode.TextEditorSelectionChangeEvent): void {
    // Edits move the cursor as well; `onChange` handles them.
    if (
      this.current?.document === event.textEditor.document &&
      event.kind === vscode.TextEditorSelectionChangeKind.Mouse
    ) {
      this.current = undefined;
    }
  }

  private async acceptPart(command: string): Promise<void> {
    this.isAcceptingPart = true;
    try {
      await vscode.commands.executeCommand(command);
    } finally {
      this.isAcceptingPart = false;
    }
  }

  private async dismiss(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const { current } = this;
    this.current = undefined;
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    const suggestion = current?.items[0];
    if (
      editor &&
      current?.document === editor.document &&
      suggestion?.isAt(editor.document.offsetAt(editor.selection.active))
    ) {
      await this.client()?.sendRequest('workspace/executeCommand', {
        command: 'tandem.reject',
        arguments: [suggestion.id],
      });
    }
  }
}

function textOf(item: vscode.InlineCompletionItem): string {
  return typeof item.insertText === 'string' ? item.insertText : item.insertText.value;
}
