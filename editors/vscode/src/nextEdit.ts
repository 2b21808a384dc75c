// Next edits: drawn in place, jumped to and applied with Tab. This module decides what is on screen, and when.
//
// Ghost text and a next edit are never on screen together. Automatic ghost text is held back while a next edit is drawn
// and after one was applied; ghost text that is there covers a next edit, which is drawn once the ghost text is gone.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { Decorations } from './decorations';
import type { Ghost } from './ghost';
import { goOn } from './left';
import { withShown } from './leftWithShown';
import type { Menu } from './menu';
import { NextEditChanges } from './nextEditChanges';
import { NextEditRequests } from './nextEditRequests';
import type { NextEdit as Edit, Left, NextEdits } from './protocol';
import { isSupported, type Server, settings } from './server';
import { Snippet } from './snippet';
import {
  AUTOMATIC,
  hintFor,
  hunkIn,
  INVOKED,
  isAtCursor,
  leftText,
  type Suggestion,
  tabIndents,
  type TriggerKind,
} from './suggestion';
import { type Screen, type TabAction, tabAction } from './tab';

/** How long a message stays in the status bar. */
const MESSAGE_MS = 5000;

export class NextEdit implements vscode.Disposable {
  /** When the user last dismissed an edit, in milliseconds. */
  dismissedAt = 0;
  /** Fires when an edit was drawn. */
  readonly onDidShow: vscode.Event<void>;

  private readonly shown = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly ghost: Ghost;
  private readonly menu: Menu;
  private readonly snippet = new Snippet();
  private readonly decorations: Decorations;
  private readonly requests: NextEditRequests;
  private readonly changes = new NextEditChanges();
  private suggestion: Suggestion | undefined;
  /** What other files have of the last change, while there is no edit. */
  private left: Left | undefined;
  /** The number of the edit that was reported as shown. */
  private shownId: number | undefined;
  /** The step under way. */
  private stepping: Promise<void> = Promise.resolve();
  private readonly context = new Map<string, unknown>();

  constructor(server: Server, ghost: Ghost, menu: Menu, extension: vscode.Uri) {
    this.server = server;
    this.ghost = ghost;
    this.menu = menu;
    this.decorations = new Decorations(extension);
    this.requests = new NextEditRequests(server);
    this.onDidShow = this.shown.event;
    ghost.isQuiet = (document) => this.holdsBackGhost(document);
    menu.opensOnRequest = () => this.suggestion !== undefined;
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      this.decorations,
      this.requests,
      this.shown,
      server.onDidChangeCondition(() => this.clear()),
      server.onDidStart(() => this.onServerStart()),
      ghost.onDidChange(() => this.render()),
      menu.onDidChange(() => this.render()),
      vscode.workspace.onDidChangeTextDocument((event) => this.onChange(event)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.onSelectionChange(event)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.onEditorChange(editor)),
      // The context keys of the bindings lag behind, so these commands check what is on screen.
      register('tandem.nextEdit.jump', () => this.step()),
      register('tandem.nextEdit.accept', () => this.step()),
      register('tandem.nextEdit.go', () => (this.suggestion ? this.step() : this.request(INVOKED))),
      register('tandem.nextEdit.acceptAll', () => this.acceptAll()),
      register('tandem.nextEdit.reject', () => this.reject()),
      register('tandem.nextEdit.ask', () => this.request(INVOKED)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Schedules a request. */
  requestSoon(): void {
    this.requests.soon(() => void this.request(AUTOMATIC));
  }

  /** Shows the edit again that was dismissed last. */
  async restore(): Promise<void> {
    await this.request(INVOKED, { dismissed: true });
  }

  private holdsBackGhost(document: vscode.TextDocument): boolean {
    const isShown = this.screen().edit !== 'none' && document === vscode.window.activeTextEditor?.document;
    return isShown || this.changes.hasMade(document);
  }

  private onServerStart(): void {
    // It may have been edited before the server was ready.
    if (vscode.window.activeTextEditor?.document.isDirty) {
      this.requestSoon();
    }
  }

  private onChange(event: vscode.TextDocumentChangeEvent): void {
    const { document, contentChanges } = event;
    const editor = vscode.window.activeTextEditor;
    if (contentChanges.length === 0 || document !== editor?.document || !isSupported(document)) {
      return;
    }
    const isOwn = this.changes.note(document);
    if (!isOwn) {
      this.snippet.change(contentChanges, Date.now());
    }
    this.clear();
    if (!isOwn) {
      this.requestSoon();
    }
  }

  private onEditorChange(editor: vscode.TextEditor | undefined): void {
    this.snippet.clear();
    // A jump switches to the file of the edit. While VS Code switches, and in a page, no editor is active.
    const kept = [this.suggestion?.uri, this.suggestion?.origin].map(String);
    if (editor && !kept.includes(editor.document.uri.toString())) {
      this.clear();
    } else {
      this.render();
    }
    const client = this.server.client;
    if (client) {
      const supported = editor && isSupported(editor.document);
      const params = supported
        ? { textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) } }
        : {};
      void client.sendNotification('tandem/didFocus', params);
    }
  }

  private onSelectionChange({ textEditor: editor }: vscode.TextEditorSelectionChangeEvent): void {
    if (editor === vscode.window.activeTextEditor) {
      const { document, selection } = editor;
      this.snippet.select(document.offsetAt(selection.start), document.offsetAt(selection.end), Date.now());
      this.render();
    }
  }

  private async request(triggerKind: TriggerKind, more: { dismissed?: true } = {}): Promise<void> {
    const client = this.server.client;
    const editor = vscode.window.activeTextEditor;
    const isEnabled = triggerKind === INVOKED || settings().get<boolean>('nextEdit.enabled', true);
    if (!client || !editor || !isEnabled) {
      return;
    }
    const answer = await this.requests.ask(editor, { triggerKind, ...more });
    if (!answer || this.take(client, answer, editor, triggerKind)) {
      return;
    }
    if (triggerKind === INVOKED) {
      const what = more.dismissed ? 'no dismissed suggestion can be shown again' : 'no next edit';
      vscode.window.setStatusBarMessage(`Tandem: ${what}`, MESSAGE_MS);
    }
  }

  /** Shows the first edit of an answer, or else what is left in other files. False if there is neither. */
  private take(client: LanguageClient, answer: NextEdits, editor: vscode.TextEditor, kind: TriggerKind): boolean {
    const [edit] = answer.edits;
    if (edit) {
      this.receive(client, edit, answer.left, editor, kind);
    } else if (answer.left) {
      this.left = answer.left;
      this.render();
    }
    return edit !== undefined || answer.left !== undefined;
  }

  private receive(
    client: LanguageClient,
    edit: Edit,
    left: Left | undefined,
    editor: vscode.TextEditor,
    triggerKind: TriggerKind,
  ): void {
    const { document } = editor;
    const uri = client.protocol2CodeConverter.asUri(edit.textDocument.uri);
    const range = client.protocol2CodeConverter.asRange(edit.range);
    const isSameFile = uri.toString() === document.uri.toString();
    const hunk = isSameFile ? hunkIn(document, range, edit.text) : undefined;
    if (!isSameFile || hunk) {
      this.left = undefined;
      this.suggestion = { edit, uri, origin: document.uri, range, hunk, left, triggerKind, isJumpedTo: false };
      this.render();
    }
  }

  /** What is on screen, for the rule of Tab. */
  private screen(): Screen {
    const editor = vscode.window.activeTextEditor;
    const { suggestion } = this;
    const ghost = editor !== undefined && this.ghost.hasSuggestion(editor.document);
    return {
      menu: this.menu.isOpen,
      snippet: this.snippet.isActive,
      ghost,
      edit: !suggestion || !editor || ghost ? 'none' : isAtCursor(suggestion, editor) ? 'here' : 'far',
      indents: editor !== undefined && !suggestion?.isJumpedTo && tabIndents(editor),
    };
  }

  /** Draws the edit, with the hint that matches what Tab does, and sets the context keys of the bindings. */
  private render(): void {
    const screen = this.screen();
    const action = tabAction(screen);
    this.setContext('tandem.nextEdit', screen.edit);
    this.setContext('tandem.tab', action);
    const editor = vscode.window.activeTextEditor;
    const { suggestion } = this;
    if (editor && !suggestion && this.left && !screen.ghost) {
      const { active } = editor.selection;
      this.decorations.draw(editor, undefined, { at: active, isAbove: false, text: leftText(this.left) });
    }
    if (!editor || !suggestion) {
      return;
    }
    if (screen.edit === 'none') {
      this.decorations.clear(editor);
      return;
    }
    this.decorations.draw(editor, suggestion.hunk, hintFor(suggestion, editor, screen, action));
    if (this.shownId !== suggestion.edit.id) {
      this.shownId = suggestion.edit.id;
      this.shown.fire();
      void this.server.client?.sendNotification('tandem/didShow', { item: suggestion.edit.id });
    }
  }

  /** Jumps to the edit, or applies it if the cursor is there. A second key waits until the first has done its work. */
  private async step(): Promise<void> {
    const pressedOn = this.suggestion?.edit.id;
    const step = async () => {
      const editor = vscode.window.activeTextEditor;
      // A key is for the edit that was on screen.
      if (this.suggestion?.edit.id === pressedOn && this.suggestion && editor) {
        await (isAtCursor(this.suggestion, editor) ? this.accept() : this.jump());
      }
    };
    if (pressedOn !== undefined) {
      this.stepping = this.stepping.then(step, step);
      await this.stepping;
    }
  }

  private async jump(): Promise<void> {
    const suggestion = this.suggestion;
    if (!suggestion) {
      return;
    }
    const document = await vscode.workspace.openTextDocument(suggestion.uri);
    const target = suggestion.hunk ?? hunkIn(document, suggestion.range, suggestion.edit.text);
    if (this.suggestion !== suggestion || !target) {
      this.clear();
      return;
    }
    const at = new vscode.Position(target.at.line, target.at.character);
    this.suggestion = { ...suggestion, hunk: target, isJumpedTo: true };
    const active = vscode.window.activeTextEditor;
    const selection = new vscode.Selection(at, at);
    // A notebook's cell that is shown already must not be opened: the notebook would be, without an editor for it.
    const editor =
      active?.document === document ? active : await vscode.window.showTextDocument(document, { selection });
    editor.selection = selection;
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.render();
  }

  private async accept(): Promise<void> {
    const suggestion = this.suggestion;
    const editor = vscode.window.activeTextEditor;
    if (!suggestion || editor?.document.uri.toString() !== suggestion.uri.toString()) {
      return;
    }
    this.clear();
    if (!(await this.changes.apply(editor, suggestion))) {
      return;
    }
    await this.reportAccepted(suggestion.edit);
    await this.requestAfter(suggestion.triggerKind);
  }

  /** Applies all remaining edits, or has the language's own extension make the rename that they follow from. */
  private async acceptAll(): Promise<void> {
    const client = this.server.client;
    const editor = vscode.window.activeTextEditor;
    if (!client || !editor) {
      return;
    }
    // Edits in a file that is not open are not sent as a whole.
    const shown = this.suggestion;
    const triggerKind = shown?.triggerKind ?? INVOKED;
    const left = shown ? shown.left : this.left;
    const answer = await this.requests.ask(editor, { triggerKind: INVOKED, all: true });
    if (!answer) {
      return;
    }
    this.clear();
    const { edits } = answer;
    const rename = (edits[0] ?? shown?.edit ?? left)?.rename;
    const { kind, said } = await this.changes.applyAll(client, editor, edits, rename);
    const isElsewhere = shown && shown.uri.toString() !== editor.document.uri.toString();
    if (kind === 'nothing' && (await goOn(client, editor, withShown(left, isElsewhere ? shown.edit : undefined)))) {
      return;
    }
    vscode.window.setStatusBarMessage(`Tandem: ${said}`, MESSAGE_MS);
    if (kind === 'stopped') {
      this.requestSoon();
    }
    if (kind !== 'done') {
      return;
    }
    for (const edit of edits) {
      await this.reportAccepted(edit);
    }
    await this.requestAfter(triggerKind);
  }

  private async reportAccepted({ command: { command, arguments: args = [] } }: Edit): Promise<void> {
    await this.server.client?.sendRequest('workspace/executeCommand', { command, arguments: args });
  }

  /** Requests what follows from an accepted edit; without a message if that is nothing. */
  private async requestAfter(triggerKind: TriggerKind): Promise<void> {
    const client = this.server.client;
    const editor = vscode.window.activeTextEditor;
    const isEnabled = triggerKind === INVOKED || settings().get<boolean>('nextEdit.enabled', true);
    const answer = editor && isEnabled ? await this.requests.ask(editor, { triggerKind }) : undefined;
    if (client && editor && answer) {
      this.take(client, answer, editor, triggerKind);
    }
  }

  private async reject(): Promise<void> {
    const suggestion = this.suggestion;
    this.clear();
    if (suggestion) {
      this.dismissedAt = Date.now();
      const params = { command: 'tandem.reject', arguments: [suggestion.edit.id] };
      await this.server.client?.sendRequest('workspace/executeCommand', params);
    }
  }

  private clear(): void {
    this.requests.cancel();
    if (this.suggestion || this.left) {
      this.suggestion = undefined;
      this.left = undefined;
      this.shownId = undefined;
      for (const editor of vscode.window.visibleTextEditors) {
        this.decorations.clear(editor);
      }
    }
    this.render();
  }

  private setContext(name: string, value: Screen['edit'] | TabAction): void {
    if (this.context.get(name) !== value) {
      this.context.set(name, value);
      void vscode.commands.executeCommand('setContext', name, value);
    }
  }
}
