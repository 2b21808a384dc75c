// Next edits: requested after each change, drawn in place, jumped to and applied with Tab.

import * as vscode from 'vscode';
import { ResponseError } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { Decorations, type Hint } from './decorations';
import { type Hunk, hunkOf } from './diff';
import type { Ghost } from './ghost';
import type { NextEdit as Edit } from './protocol';
import { isSupported, type Server, settings } from './server';

/** The pause in the typing before a request. */
const DEBOUNCE_MS = 120;
const METHOD_NOT_FOUND = -32601;

interface Suggestion {
  readonly edit: Edit;
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  /** Undefined if the edit is in another file. */
  readonly hunk: Hunk | undefined;
  /** The active document at the time of the request, and its version. */
  readonly document: vscode.TextDocument;
  readonly version: number;
  /** Whether the user has jumped to it: Tab then applies it even where it would indent. */
  isJumpedTo: boolean;
}

/** Where the edit is, for key bindings: none on screen, away from the cursor, or at the cursor. */
type Location = 'none' | 'far' | 'here';

export class NextEdit implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly ghost: Ghost;
  private readonly decorations: Decorations;
  private suggestion: Suggestion | undefined;
  private location: Location = 'none';
  private timer: NodeJS.Timeout | undefined;
  private pending: vscode.CancellationTokenSource | undefined;
  /** False after a server has answered MethodNotFound: an older one, which is not asked again. */
  private isMethodKnown = true;

  constructor(server: Server, ghost: Ghost, extension: vscode.Uri) {
    this.server = server;
    this.ghost = ghost;
    this.decorations = new Decorations(extension);
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      this.decorations,
      server.onDidChangeCondition(() => this.clear()),
      server.onDidStart(() => {
        this.isMethodKnown = true;
      }),
      ghost.onDidSuggest(() => this.clear()),
      vscode.workspace.onDidChangeTextDocument((event) => this.onChange(event)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.onSelectionChange(event.textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.onEditorChange(editor)),
      // The context keys of the bindings lag behind, so these commands check the current location.
      register('tandem.nextEdit.jump', () => this.jumpOrAccept()),
      register('tandem.nextEdit.accept', () => this.jumpOrAccept()),
      register('tandem.nextEdit.go', () => (this.location === 'none' ? this.request(1) : this.jumpOrAccept())),
      register('tandem.nextEdit.reject', () => this.reject()),
      register('tandem.nextEdit.ask', () => this.request(1)),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.pending?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Schedules a request. */
  requestSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.request(2), DEBOUNCE_MS);
  }

  private onChange(event: vscode.TextDocumentChangeEvent): void {
    const editor = vscode.window.activeTextEditor;
    if (event.contentChanges.length === 0 || event.document !== editor?.document || !isSupported(event.document)) {
      return;
    }
    this.clear();
    this.requestSoon();
  }

  private onEditorChange(editor: vscode.TextEditor | undefined): void {
    // A jump switches to the file of the edit. While VS Code switches, no editor is active for a moment.
    if (editor && editor.document.uri.toString() !== this.suggestion?.uri.toString()) {
      this.clear();
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

  private onSelectionChange(editor: vscode.TextEditor): void {
    if (editor === vscode.window.activeTextEditor && this.suggestion) {
      this.show(editor);
    }
  }

  private async request(triggerKind: 1 | 2): Promise<void> {
    const client = this.server.client;
    const editor = vscode.window.activeTextEditor;
    const isEnabled = triggerKind === 1 || settings().get<boolean>('nextEdit.enabled', true);
    if (!client || !editor || !isSupported(editor.document) || !this.isMethodKnown || !isEnabled) {
      return;
    }
    this.pending?.cancel();
    this.pending?.dispose();
    const pending = new vscode.CancellationTokenSource();
    this.pending = pending;
    const { document } = editor;
    const version = document.version;
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri), version },
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
      context: { triggerKind },
    };
    let edits: Edit[] = [];
    try {
      ({ edits } = await client.sendRequest<{ edits: Edit[] }>('tandem/nextEdit', params, pending.token));
    } catch (error) {
      this.isMethodKnown = !(error instanceof ResponseError && error.code === METHOD_NOT_FOUND);
      if (!pending.token.isCancellationRequested) {
        this.server.log.debug(`no next edit: ${String(error)}`);
      }
    }
    const isStale = pending.token.isCancellationRequested || document.version !== version;
    const [edit] = edits;
    if (!edit || isStale || vscode.window.activeTextEditor !== editor || this.ghost.hasSuggestion(document)) {
      return;
    }
    this.receive(client, edit, editor, version);
  }

  private receive(client: LanguageClient, edit: Edit, editor: vscode.TextEditor, version: number): void {
    const { document } = editor;
    const uri = client.protocol2CodeConverter.asUri(edit.textDocument.uri);
    const range = client.protocol2CodeConverter.asRange(edit.range);
    const isSameFile = uri.toString() === document.uri.toString();
    const change = isSameFile ? hunkIn(document, range, edit.text) : undefined;
    if (isSameFile && !change) {
      return;
    }
    this.suggestion = { edit, uri, range, hunk: change, document, version, isJumpedTo: false };
    this.show(editor);
    void client.sendNotification('tandem/didShow', { item: edit.id });
  }

  /** Draws the edit, with the hint that matches the position of the cursor. */
  private show(editor: vscode.TextEditor): void {
    const suggestion = this.suggestion;
    if (!suggestion) {
      return;
    }
    const line = editor.selection.active.line;
    const isHere =
      editor.document.uri.toString() === suggestion.uri.toString() &&
      suggestion.hunk !== undefined &&
      line >= suggestion.hunk.at.line &&
      line <= suggestion.hunk.lastLine;
    const isIndenting = !suggestion.isJumpedTo && tabIndents(editor);
    this.setLocation(isHere ? 'here' : 'far', isIndenting);
    this.decorations.draw(editor, suggestion.hunk, this.hintFor(suggestion, editor, isHere, isIndenting));
  }

  private hintFor(suggestion: Suggestion, editor: vscode.TextEditor, isHere: boolean, isIndenting: boolean): Hint {
    const mac = process.platform === 'darwin';
    const key = isIndenting ? (mac ? '⌥⌘.' : 'Ctrl+Alt+.') : 'Tab';
    if (isHere) {
      return { line: suggestion.hunk?.at.line ?? 0, text: `${key}: apply` };
    }
    const name = suggestion.uri.path.split('/').at(-1);
    const isSameFile = suggestion.uri.toString() === editor.document.uri.toString();
    const lineNumber = (suggestion.hunk?.at.line ?? suggestion.range.start.line) + 1;
    const arrow = lineNumber - 1 < editor.selection.active.line ? '↑' : '↓';
    return {
      line: editor.selection.active.line,
      text: isSameFile ? `${key}: ${arrow} line ${lineNumber}` : `${key}: → ${name}, line ${lineNumber}`,
    };
  }

  /** Jumps to the edit, or applies it if the cursor is there. */
  private async jumpOrAccept(): Promise<void> {
    await (this.location === 'here' ? this.accept() : this.jump());
  }

  private async jump(): Promise<void> {
    const suggestion = this.suggestion;
    if (!suggestion || this.location === 'none') {
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
    const editor = await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.show(editor);
  }

  private async accept(): Promise<void> {
    const suggestion = this.suggestion;
    const editor = vscode.window.activeTextEditor;
    const client = this.server.client;
    if (!suggestion || !client || editor?.document.uri.toString() !== suggestion.uri.toString()) {
      return;
    }
    const expectedVersion = suggestion.edit.textDocument.version ?? editor.document.version;
    this.clear();
    if (editor.document.version !== expectedVersion) {
      return;
    }
    const { start } = suggestion.range;
    const isApplied = await editor.edit((builder) => builder.replace(suggestion.range, suggestion.edit.text));
    if (!isApplied) {
      return;
    }
    const eol = editor.document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
    const length = suggestion.edit.text.replaceAll(/\r?\n/g, eol).length;
    const end = editor.document.positionAt(editor.document.offsetAt(start) + length);
    editor.selection = new vscode.Selection(end, end);
    editor.revealRange(editor.selection);
    const { command, arguments: args = [] } = suggestion.edit.command;
    await client.sendRequest('workspace/executeCommand', { command, arguments: args });
    clearTimeout(this.timer);
    await this.request(2);
  }

  private async reject(): Promise<void> {
    const suggestion = this.suggestion;
    this.clear();
    if (suggestion) {
      const params = { command: 'tandem.reject', arguments: [suggestion.edit.id] };
      await this.server.client?.sendRequest('workspace/executeCommand', params);
    }
  }

  private clear(): void {
    this.pending?.cancel();
    if (this.suggestion) {
      this.suggestion = undefined;
      for (const editor of vscode.window.visibleTextEditors) {
        this.decorations.clear(editor);
      }
    }
    this.setLocation('none', false);
  }

  private setLocation(location: Location, isIndenting: boolean): void {
    this.location = location;
    // Context keys of the bindings: Tab is bound only where it would not indent.
    const set = (name: string, value: unknown) => vscode.commands.executeCommand('setContext', name, value);
    void set('tandem.nextEdit', location);
    void set('tandem.nextEditTakesTab', location !== 'none' && !isIndenting);
  }
}

function hunkIn(document: vscode.TextDocument, range: vscode.Range, text: string): Hunk | undefined {
  const plain = (it: string) => it.replaceAll('\r\n', '\n');
  return hunkOf(plain(document.getText(range)), plain(text), range.start);
}

/** Whether Tab indents: there is a selection, or only blanks precede the cursor on its line. */
function tabIndents(editor: vscode.TextEditor): boolean {
  const { selection, document } = editor;
  const before = document.lineAt(selection.active.line).text.slice(0, selection.active.character);
  return !selection.isEmpty || before.trim() === '';
}
