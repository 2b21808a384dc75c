// Requests for next edits: one at a time, after a pause in the typing, and none that the text has outrun.

import * as vscode from 'vscode';
import { ResponseError } from 'vscode-languageclient';
import type { NextEdits } from './protocol';
import { isSupported, type Server } from './server';
import type { TriggerKind } from './suggestion';

/** The pause in the typing before a request. */
const DEBOUNCE_MS = 120;
const METHOD_NOT_FOUND = -32601;

/** What is requested. */
export interface Asked {
  readonly triggerKind: TriggerKind;
  /** All remaining edits of one file. */
  readonly all?: true;
  /** The edit that was dismissed last. */
  readonly dismissed?: true;
}

export class NextEditRequests implements vscode.Disposable {
  private readonly server: Server;
  private readonly subscription: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;
  private pending: vscode.CancellationTokenSource | undefined;
  /** False after a server has answered MethodNotFound: an older one, which is not asked again. */
  private isMethodKnown = true;

  constructor(server: Server) {
    this.server = server;
    this.subscription = server.onDidStart(() => {
      this.isMethodKnown = true;
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.pending?.dispose();
    this.subscription.dispose();
  }

  /** Runs `request` after the pause, unless another comes before. */
  soon(request: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(request, DEBOUNCE_MS);
  }

  /** Cancels the request under way. */
  cancel(): void {
    this.pending?.cancel();
  }

  /** Requests edits; undefined if the text or the editor has changed before the answer. */
  async ask(editor: vscode.TextEditor, context: Asked): Promise<NextEdits | undefined> {
    const client = this.server.client;
    const { document } = editor;
    if (!client || !isSupported(document) || !this.isMethodKnown) {
      return undefined;
    }
    clearTimeout(this.timer);
    this.pending?.cancel();
    this.pending?.dispose();
    const pending = new vscode.CancellationTokenSource();
    this.pending = pending;
    const version = document.version;
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri), version },
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
      context,
    };
    let answer: NextEdits = { edits: [] };
    try {
      answer = await client.sendRequest<NextEdits>('tandem/nextEdit', params, pending.token);
    } catch (error) {
      this.isMethodKnown = !(error instanceof ResponseError && error.code === METHOD_NOT_FOUND);
      if (!pending.token.isCancellationRequested) {
        this.server.log.debug(`no next edit: ${String(error)}`);
      }
    }
    const isStale = pending.token.isCancellationRequested || document.version !== version;
    return isStale || vscode.window.activeTextEditor !== editor ? undefined : answer;
  }
}
