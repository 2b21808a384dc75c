// Ghost text: VS Code requests and draws it; this module reports to the server what was shown and accepted.
//
// The stable API reports full acceptance only, by running the item's command. An item counts as shown if the text and
// the cursor are unchanged shortly after it was returned. Partial accepts are derived from the document changes. It
// counts as on screen until the cursor leaves it.

import * as vscode from 'vscode';
import { InlineCompletionRequest, type Middleware } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Menu } from './menu';
import { PartialAccept } from './partialAccept';
import type { VersionedDocument } from './protocol';
import { COMMIT_BOX, settings } from './server';

/** VS Code draws within a frame or two of the answer. */
const RENDER_DELAY_MS = 50;

interface Suggestions {
  readonly document: vscode.TextDocument;
  /** The offset of the cursor. */
  readonly at: number;
  /** Those that can be accepted in parts. */
  readonly items: PartialAccept[];
}

/** A request for ghost text. */
interface Requested {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly position: vscode.Position;
  readonly isAutomatic: boolean;
}

/** An answer with items, as it was returned to the editor. */
interface Returned extends Requested {
  readonly items: vscode.InlineCompletionItem[];
}

export class Ghost implements vscode.Disposable {
  /** Fires when a suggestion was returned to the editor, or is gone. */
  readonly onDidChange: vscode.Event<void>;
  /** Whether automatic ghost text is out of place, since a next edit is on screen or was just applied. */
  isQuiet: (document: vscode.TextDocument) => boolean = () => false;
  /** When the user last dismissed ghost text, in milliseconds. */
  dismissedAt = 0;

  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly client: () => LanguageClient | undefined;
  private readonly menu: Menu;
  private current: Suggestions | undefined;
  /** The last request, answered or not: the server's next notification is about it. */
  private requested: Requested | undefined;
  /** The last answer with items. */
  private returned: Returned | undefined;
  private dismissed: Returned | undefined;
  /** What this module triggered the request under way for: what was dismissed, or what takes a prediction's place. */
  private purpose: 'restore' | 'takeover' | undefined;
  /** Whether a partial accept command is running, which makes the next change. */
  private isAcceptingPart = false;

  constructor(client: () => LanguageClient | undefined, menu: Menu) {
    this.client = client;
    this.menu = menu;
    this.onDidChange = this.changed.event;
    this.subscriptions = [
      this.changed,
      vscode.workspace.onDidChangeTextDocument((event) => this.onChange(event)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.onSelectionChange(event)),
      vscode.commands.registerCommand('tandem.acceptNextWord', () =>
        this.acceptPart('editor.action.inlineSuggest.acceptNextWord'),
      ),
      vscode.commands.registerCommand('tandem.acceptNextLine', () => this.acceptLine()),
      vscode.commands.registerCommand('tandem.dismiss', () => this.dismiss()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Whether this document has ghost text at the cursor. */
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
    this.menu.onInlineRequest(document, position, context.selectedCompletionInfo !== undefined);
    const isTakeover = this.purpose === 'takeover';
    const isAutomatic = isTakeover || context.triggerKind === vscode.InlineCompletionTriggerKind.Automatic;
    if (!client || !settings().get<boolean>('ghostText', true) || (isAutomatic && this.isQuiet(document))) {
      return [];
    }
    const version = document.version;
    const requested = { document, version, position, isAutomatic };
    this.requested = requested;
    const asked = isTakeover ? { ...context, triggerKind: vscode.InlineCompletionTriggerKind.Automatic } : context;
    const answer = this.restored(document, position) ?? (await this.request(client, document, position, asked, token));
    // A prediction that is on screen stays if nothing takes its place.
    const stays = isTakeover && answer?.length === 0 && this.hasSuggestion(document);
    const items = stays ? this.itemsAt(this.returned, document, position) : answer;
    // The answer is for an outdated text, so it is not tracked.
    if (!items || token.isCancellationRequested || document.version !== version) {
      return [];
    }
    // A next edit may have been drawn meanwhile.
    if (isAutomatic && this.isQuiet(document)) {
      return [];
    }
    // What the menu covers is on screen again once that is closed, for which no request need follow.
    const isCovered = context.selectedCompletionInfo !== undefined && this.hasSuggestion(document);
    if (items.length > 0 || !isCovered) {
      this.track(document, position, items);
    }
    if (items[0]) {
      this.returned = { ...requested, items };
      const matchesMenu =
        !context.selectedCompletionInfo || textOf(items[0]).startsWith(context.selectedCompletionInfo.text);
      setTimeout(() => this.notifyShown(document, version, position, matchesMenu), RENDER_DELAY_MS);
    }
    return items;
  };

  private async request(
    client: LanguageClient,
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[] | undefined> {
    const standard = client.code2ProtocolConverter.asInlineCompletionParams(document, position, context);
    // An extension of the protocol: the server answers nothing for an outdated version.
    const params = { ...standard, textDocument: { ...standard.textDocument, version: document.version } };
    const answer = await client.sendRequest(InlineCompletionRequest.type, params, token).catch(() => null);
    const result = await client.protocol2CodeConverter.asInlineCompletionResult(answer ?? [], token);
    return Array.isArray(result) ? result : result?.items;
  }

  /** What was dismissed, if the request under way is for it. */
  private restored(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.InlineCompletionItem[] | undefined {
    return this.purpose === 'restore' ? this.itemsAt(this.dismissed, document, position) : undefined;
  }

  /** The items of an answer, if it is for this text and position. */
  private itemsAt(
    answer: Returned | undefined,
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.InlineCompletionItem[] | undefined {
    return isFor(answer, document, position) ? answer?.items : undefined;
  }

  /**
   * Requests ghost text again, for which the server has something else than it answered last.
   *
   * What is on screen does not matter: under the completion menu it may be nothing.
   */
  async onServerChange(changed: VersionedDocument): Promise<void> {
    const { requested } = this;
    const editor = vscode.window.activeTextEditor;
    const uri = editor && this.client()?.code2ProtocolConverter.asUri(editor.document.uri);
    const isCurrent =
      editor !== undefined &&
      changed.uri === uri &&
      changed.version === editor.document.version &&
      requested?.isAutomatic === true &&
      isFor(requested, editor.document, editor.selection.active);
    if (isCurrent) {
      // The first one requests ghost text, puts what it gets behind the item on screen, and shows the next one; without
      // an item on screen it does nothing. A mere trigger leaves the old one there, and to hide that first makes it
      // flicker. Only the editor knows what is on screen: a menu that was open over it leaves no trace here.
      for (const command of ['showNext', 'trigger']) {
        await this.run(`editor.action.inlineSuggest.${command}`, 'takeover');
        if (this.requested !== requested) {
          return;
        }
      }
    }
  }

  /** Has the editor request ghost text by a command of its own. */
  private async run(command: string, purpose: 'restore' | 'takeover'): Promise<void> {
    this.purpose = purpose;
    try {
      await vscode.commands.executeCommand(command);
    } finally {
      this.purpose = undefined;
    }
  }

  private track(
    document: vscode.TextDocument,
    position: vscode.Position,
    results: vscode.InlineCompletionItem[],
  ): void {
    const items = results.flatMap((item) => {
      const id: unknown = item.command?.arguments?.[0];
      const range = item.range;
      if (typeof id !== 'number' || !range) {
        return [];
      }
      const from = document.offsetAt(range.start);
      return PartialAccept.create(id, textOf(item), document.getText(range), from) ?? [];
    });
    this.set(results.length > 0 ? { document, at: document.offsetAt(position), items } : undefined);
  }

  private set(current: Suggestions | undefined): void {
    const changes = this.current !== undefined || current !== undefined;
    this.current = current;
    if (changes) {
      this.changed.fire();
    }
  }

  private notifyShown(
    document: vscode.TextDocument,
    version: number,
    position: vscode.Position,
    matchesMenu: boolean,
  ): void {
    const editor = vscode.window.activeTextEditor;
    const id = this.current?.document === document ? this.current.items[0]?.id : undefined;
    // The box for a commit's message is no text editor, and its cursor is not known.
    const isInBox = document.uri.scheme === COMMIT_BOX;
    const isCursorUnmoved = isInBox || (editor?.document === document && editor.selection.active.isEqual(position));
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
    const [first] = remaining;
    this.set(first && { document: event.document, at: first.at, items: remaining });
  }

  private onSelectionChange({ textEditor, selections: [selection] }: vscode.TextEditorSelectionChangeEvent): void {
    const { current } = this;
    if (
      current?.document === textEditor.document &&
      textEditor === vscode.window.activeTextEditor &&
      selection &&
      textEditor.document.offsetAt(selection.active) !== current.at
    ) {
      this.set(undefined);
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

  /** Accepts a line, and the indentation of the next: the cursor is then where its first letter will be. */
  private async acceptLine(): Promise<void> {
    await this.acceptPart('editor.action.inlineSuggest.acceptNextLine');
    const editor = vscode.window.activeTextEditor;
    const suggestion = this.current?.document === editor?.document ? this.current?.items[0] : undefined;
    const indentation = suggestion?.indentation ?? '';
    if (editor?.selection.isEmpty && editor.selection.active.character === 0 && indentation !== '') {
      this.isAcceptingPart = true;
      try {
        await vscode.commands.executeCommand('default:type', { text: indentation });
      } finally {
        this.isAcceptingPart = false;
      }
    }
  }

  private async dismiss(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const { current, returned } = this;
    const isHere =
      editor !== undefined &&
      current?.document === editor.document &&
      current.at === editor.document.offsetAt(editor.selection.active);
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    this.set(undefined);
    if (!isHere) {
      return;
    }
    if (returned?.document === editor.document && returned.version === editor.document.version) {
      this.dismissed = returned;
      this.dismissedAt = Date.now();
    }
    const [suggestion] = current.items;
    if (suggestion) {
      await this.client()?.sendRequest('workspace/executeCommand', {
        command: 'tandem.reject',
        arguments: [suggestion.id],
      });
    }
  }

  /**
   * Shows the ghost text again that was dismissed last, if the text is what it was then.
   *
   * @returns Whether there is some.
   */
  async restore(): Promise<boolean> {
    const editor = vscode.window.activeTextEditor;
    const { dismissed } = this;
    if (!editor || dismissed?.document !== editor.document || dismissed.version !== editor.document.version) {
      return false;
    }
    editor.selection = new vscode.Selection(dismissed.position, dismissed.position);
    await this.run('editor.action.inlineSuggest.trigger', 'restore');
    return true;
  }
}

/** Whether a request or an answer is for this text and position. */
function isFor(it: Requested | undefined, document: vscode.TextDocument, position: vscode.Position): boolean {
  return it?.document === document && it.version === document.version && it.position.isEqual(position);
}

function textOf(item: vscode.InlineCompletionItem): string {
  return typeof item.insertText === 'string' ? item.insertText : item.insertText.value;
}
