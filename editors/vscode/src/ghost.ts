// Ghost text: VS Code asks for it and draws it; here the server learns what became of it.
//
// The stable API says when a suggestion was accepted whole (its command runs) and nothing else. That it was drawn is
// concluded from the text and the cursor being as they were when it was handed over; that a part was taken, from the
// edit that takes it.

import * as vscode from 'vscode';
import { InlineCompletionRequest, type Middleware } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { settings } from './server';
import { Taking } from './taking';

/** VS Code draws within a frame or two of the answer. */
const DRAWN_AFTER_MS = 50;

interface Offer {
  readonly document: vscode.TextDocument;
  readonly takings: Taking[];
}

export class Ghost implements vscode.Disposable {
  /** Something was handed to the editor to draw. */
  readonly onDidOffer: vscode.Event<vscode.TextDocument>;

  private readonly offered = new vscode.EventEmitter<vscode.TextDocument>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly client: () => LanguageClient | undefined;
  private offer: Offer | undefined;
  /** Whether the edit that comes is made by a command that takes a part. */
  private isTakingPart = false;

  constructor(client: () => LanguageClient | undefined) {
    this.client = client;
    this.onDidOffer = this.offered.event;
    this.subscriptions = [
      this.offered,
      vscode.workspace.onDidChangeTextDocument((event) => this.changed(event)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.moved(event)),
      vscode.commands.registerCommand('tandem.acceptNextWord', () =>
        this.takePart('editor.action.inlineSuggest.acceptNextWord'),
      ),
      vscode.commands.registerCommand('tandem.acceptNextLine', () =>
        this.takePart('editor.action.inlineSuggest.acceptNextLine'),
      ),
      vscode.commands.registerCommand('tandem.dismiss', () => this.dismiss()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Whether there is something for the cursor in this document. */
  isOffering(document: vscode.TextDocument): boolean {
    return this.offer?.document === document;
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
    const asked = client.code2ProtocolConverter.asInlineCompletionParams(document, position, context);
    // Not in the standard: lets the server see that an answer would be for a text that is no more.
    const params = { ...asked, textDocument: { ...asked.textDocument, version } };
    const answer = await client.sendRequest(InlineCompletionRequest.type, params, token).catch(() => null);
    // A cancelled request's answer is for a text that is no more: nothing is remembered of it.
    if (token.isCancellationRequested || document.version !== version) {
      return [];
    }
    const result = await client.protocol2CodeConverter.asInlineCompletionResult(answer ?? [], token);
    const items = Array.isArray(result) ? result : (result?.items ?? []);
    this.remember(document, items);
    if (items[0]) {
      this.offered.fire(document);
      const fits = !context.selectedCompletionInfo || textOf(items[0]).startsWith(context.selectedCompletionInfo.text);
      setTimeout(() => this.tellShown(document, version, position, fits), DRAWN_AFTER_MS);
    }
    return items;
  };

  private remember(document: vscode.TextDocument, items: vscode.InlineCompletionItem[]): void {
    const takings = items.flatMap((item) => {
      const id: unknown = item.command?.arguments?.[0];
      const range = item.range;
      if (typeof id !== 'number' || !range) {
        return [];
      }
      const from = document.offsetAt(range.start);
      return Taking.begin(id, textOf(item), document.getText(range), from) ?? [];
    });
    this.offer = takings.length > 0 ? { document, takings } : undefined;
  }

  private tellShown(document: vscode.TextDocument, version: number, position: vscode.Position, fits: boolean): void {
    const editor = vscode.window.activeTextEditor;
    const id = this.offer?.document === document ? this.offer.takings[0]?.id : undefined;
    const isThere = editor?.document === document && editor.selection.active.isEqual(position);
    if (id !== undefined && fits && isThere && document.version === version) {
      void this.client()?.sendNotification('tandem/didShow', { item: id });
    }
  }

  private changed(event: vscode.TextDocumentChangeEvent): void {
    if (this.offer?.document !== event.document || event.contentChanges.length === 0) {
      return;
    }
    const alive = this.offer.takings.filter((taking) => {
      const outcome = taking.follow(event.contentChanges, this.isTakingPart);
      if (outcome === 'part') {
        const params = { item: taking.id, acceptedLength: taking.accepted };
        void this.client()?.sendNotification('tandem/didPartiallyAccept', params);
      }
      return outcome !== 'over';
    });
    this.offer = alive.length > 0 ? { document: event.document, takings: alive } : undefined;
  }

  private moved(event: vscode.TextEditorSelectionChangeEvent): void {
    // Where the cursor goes by an edit, the edit has been followed.
    if (
      this.offer?.document === event.textEditor.document &&
      event.kind === vscode.TextEditorSelectionChangeKind.Mouse
    ) {
      this.offer = undefined;
    }
  }

  private async takePart(command: string): Promise<void> {
    this.isTakingPart = true;
    try {
      await vscode.commands.executeCommand(command);
    } finally {
      this.isTakingPart = false;
    }
  }

  private async dismiss(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const offer = this.offer;
    this.offer = undefined;
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    const taking = offer?.takings[0];
    if (
      editor &&
      offer?.document === editor.document &&
      taking?.isAt(editor.document.offsetAt(editor.selection.active))
    ) {
      await this.client()?.sendRequest('workspace/executeCommand', {
        command: 'tandem.reject',
        arguments: [taking.id],
      });
    }
  }
}

function textOf(item: vscode.InlineCompletionItem): string {
  return typeof item.insertText === 'string' ? item.insertText : item.insertText.value;
}
