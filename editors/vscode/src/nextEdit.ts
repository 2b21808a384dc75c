// Next edits: asked for after each change, drawn where they are, jumped to and applied with Tab.

import * as vscode from 'vscode';
import { ResponseError } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { Drawing, type Hint } from './drawing';
import type { Ghost } from './ghost';
import { type Hunk, hunk } from './hunk';
import type { NextEdit as Edit } from './protocol';
import { isFollowed, type Server, settings } from './server';

/** So long nothing must have been typed. */
const QUIET_MS = 120;
const METHOD_NOT_FOUND = -32601;

interface Offer {
  readonly edit: Edit;
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  /** Not there if the edit is in another file. */
  readonly hunk: Hunk | undefined;
  /** The document that the cursor was in, and its version, when the server was asked. */
  readonly document: vscode.TextDocument;
  readonly version: number;
  /** Whether the user has jumped to it: the next Tab is meant for it, whatever stands there. */
  isReached: boolean;
}

/** Where the edit is, for key bindings: nowhere, not at the cursor, or at the cursor. */
type Where = 'none' | 'far' | 'here';

export class NextEdit implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly ghost: Ghost;
  private readonly drawing: Drawing;
  private offer: Offer | undefined;
  private where: Where = 'none';
  private timer: NodeJS.Timeout | undefined;
  private asking: vscode.CancellationTokenSource | undefined;
  /** Older servers have no next edits: they are asked once. */
  private isKnown = true;

  constructor(server: Server, ghost: Ghost, extension: vscode.Uri) {
    this.server = server;
    this.ghost = ghost;
    this.drawing = new Drawing(extension);
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      this.drawing,
      server.onDidChangeCondition(() => this.clear()),
      server.onDidStart(() => {
        this.isKnown = true;
      }),
      ghost.onDidOffer(() => this.clear()),
      vscode.workspace.onDidChangeTextDocument((event) => this.changed(event)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.moved(event.textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.switched(editor)),
      // Keys are bound by contexts, which are a moment late: where the edit is now decides.
      register('tandem.nextEdit.jump', () => this.go()),
      register('tandem.nextEdit.accept', () => this.go()),
      register('tandem.nextEdit.go', () => (this.where === 'none' ? this.ask(1) : this.go())),
      register('tandem.nextEdit.reject', () => this.reject()),
      register('tandem.nextEdit.ask', () => this.ask(1)),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Asks again soon, since something was accepted that may lead to more. */
  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(2), QUIET_MS);
  }

  private changed(event: vscode.TextDocumentChangeEvent): void {
    const editor = vscode.window.activeTextEditor;
    if (event.contentChanges.length === 0 || event.document !== editor?.document || !isFollowed(event.document)) {
      return;
    }
    this.clear();
    this.soon();
  }

  private switched(editor: vscode.TextEditor | undefined): void {
    // The edit may be in the file that is shown now: it was jumped to. Between two editors there is none for a moment.
    if (editor && editor.document.uri.toString() !== this.offer?.uri.toString()) {
      this.clear();
    }
    const client = this.server.client;
    if (client) {
      const followed = editor && isFollowed(editor.document);
      const params = followed
        ? { textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) } }
        : {};
      void client.sendNotification('tandem/didFocus', params);
    }
  }

  private moved(editor: vscode.TextEditor): void {
    if (editor === vscode.window.activeTextEditor && this.offer) {
      this.show(editor);
    }
  }

  private async ask(triggerKind: 1 | 2): Promise<void> {
    const client = this.server.client;
    const editor = vscode.window.activeTextEditor;
    const isWanted = triggerKind === 1 || settings().get<boolean>('nextEdit.enabled', true);
    if (!client || !editor || !isFollowed(editor.document) || !this.isKnown || !isWanted) {
      return;
    }
    this.asking?.cancel();
    this.asking?.dispose();
    const asking = new vscode.CancellationTokenSource();
    this.asking = asking;
    const { document } = editor;
    const version = document.version;
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri), version },
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
      context: { triggerKind },
    };
    let edits: Edit[] = [];
    try {
      ({ edits } = await client.sendRequest<{ edits: Edit[] }>('tandem/nextEdit', params, asking.token));
    } catch (error) {
      this.isKnown = !(error instanceof ResponseError && error.code === METHOD_NOT_FOUND);
      if (!asking.token.isCancellationRequested) {
        this.server.log.debug(`no next edit: ${String(error)}`);
      }
    }
    const isStale = asking.token.isCancellationRequested || document.version !== version;
    const [edit] = edits;
    if (!edit || isStale || vscode.window.activeTextEditor !== editor || this.ghost.isOffering(document)) {
      return;
    }
    this.receive(client, edit, editor, version);
  }

  private receive(client: LanguageClient, edit: Edit, editor: vscode.TextEditor, version: number): void {
    const { document } = editor;
    const uri = client.protocol2CodeConverter.asUri(edit.textDocument.uri);
    const range = client.protocol2CodeConverter.asRange(edit.range);
    const isSame = uri.toString() === document.uri.toString();
    const changes = isSame ? hunkIn(document, range, edit.text) : undefined;
    if (isSame && !changes) {
      return;
    }
    this.offer = { edit, uri, range, hunk: changes, document, version, isReached: false };
    this.show(editor);
    void client.sendNotification('tandem/didShow', { item: edit.id });
  }

  /** Draws what there is, in the state that the cursor makes of it. */
  private show(editor: vscode.TextEditor): void {
    const offer = this.offer;
    if (!offer) {
      return;
    }
    const line = editor.selection.active.line;
    const isHere =
      editor.document.uri.toString() === offer.uri.toString() &&
      offer.hunk !== undefined &&
      line >= offer.hunk.at.line &&
      line <= offer.hunk.lastLine;
    const isIndenting = !offer.isReached && indents(editor);
    this.mark(isHere ? 'here' : 'far', isIndenting);
    this.drawing.draw(editor, offer.hunk, this.hintFor(offer, editor, isHere, isIndenting));
  }

  private hintFor(offer: Offer, editor: vscode.TextEditor, isHere: boolean, isIndenting: boolean): Hint {
    const mac = process.platform === 'darwin';
    const key = isIndenting ? (mac ? '⌥⌘.' : 'Ctrl+Alt+.') : 'Tab';
    if (isHere) {
      return { line: offer.hunk?.at.line ?? 0, text: `${key}: apply` };
    }
    const name = offer.uri.path.split('/').at(-1);
    const isSame = offer.uri.toString() === editor.document.uri.toString();
    const row = (offer.hunk?.at.line ?? offer.range.start.line) + 1;
    const arrow = row - 1 < editor.selection.active.line ? '↑' : '↓';
    return {
      line: editor.selection.active.line,
      text: isSame ? `${key}: ${arrow} line ${row}` : `${key}: → ${name}, line ${row}`,
    };
  }

  /** Goes to the edit, or if the cursor is there, applies it. */
  private async go(): Promise<void> {
    await (this.where === 'here' ? this.accept() : this.jump());
  }

  private async jump(): Promise<void> {
    const offer = this.offer;
    if (!offer || this.where === 'none') {
      return;
    }
    const document = await vscode.workspace.openTextDocument(offer.uri);
    const hunkThere = offer.hunk ?? hunkIn(document, offer.range, offer.edit.text);
    if (this.offer !== offer || !hunkThere) {
      this.clear();
      return;
    }
    const at = new vscode.Position(hunkThere.at.line, hunkThere.at.character);
    this.offer = { ...offer, hunk: hunkThere, isReached: true };
    const editor = await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.show(editor);
  }

  private async accept(): Promise<void> {
    const offer = this.offer;
    const editor = vscode.window.activeTextEditor;
    const client = this.server.client;
    if (!offer || !client || editor?.document.uri.toString() !== offer.uri.toString()) {
      return;
    }
    const wanted = offer.edit.textDocument.version ?? editor.document.version;
    this.clear();
    if (editor.document.version !== wanted) {
      return;
    }
    const { start } = offer.range;
    const isApplied = await editor.edit((builder) => builder.replace(offer.range, offer.edit.text));
    if (!isApplied) {
      return;
    }
    const eol = editor.document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
    const length = offer.edit.text.replaceAll(/\r?\n/g, eol).length;
    const end = editor.document.positionAt(editor.document.offsetAt(start) + length);
    editor.selection = new vscode.Selection(end, end);
    editor.revealRange(editor.selection);
    const { command, arguments: args = [] } = offer.edit.command;
    await client.sendRequest('workspace/executeCommand', { command, arguments: args });
    clearTimeout(this.timer);
    await this.ask(2);
  }

  private async reject(): Promise<void> {
    const offer = this.offer;
    this.clear();
    if (offer) {
      const params = { command: 'tandem.reject', arguments: [offer.edit.id] };
      await this.server.client?.sendRequest('workspace/executeCommand', params);
    }
  }

  private clear(): void {
    this.asking?.cancel();
    if (this.offer) {
      this.offer = undefined;
      for (const editor of vscode.window.visibleTextEditors) {
        this.drawing.clear(editor);
      }
    }
    this.mark('none', false);
  }

  private mark(where: Where, isIndenting: boolean): void {
    this.where = where;
    // For key bindings: Tab is ours where it would not indent.
    const set = (name: string, value: unknown) => vscode.commands.executeCommand('setContext', name, value);
    void set('tandem.nextEdit', where);
    void set('tandem.nextEditTakesTab', where !== 'none' && !isIndenting);
  }
}

function hunkIn(document: vscode.TextDocument, range: vscode.Range, text: string): Hunk | undefined {
  const plain = (it: string) => it.replaceAll('\r\n', '\n');
  return hunk(plain(document.getText(range)), plain(text), range.start);
}

/** Whether Tab is for indenting: lines are selected, or the cursor is before a line's first letter. */
function indents(editor: vscode.TextEditor): boolean {
  const { selection, document } = editor;
  const before = document.lineAt(selection.active.line).text.slice(0, selection.active.character);
  return !selection.isEmpty || before.trim() === '';
}
