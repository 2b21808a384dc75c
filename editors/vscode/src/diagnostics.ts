// Forwards the diagnostics of other extensions to the server, which offers fixes for them.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { isSupported, settings } from './server';

/** Compilers report in bursts, one file at a time. */
const DEBOUNCE_MS = 200;

export class Diagnostics implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly client: () => LanguageClient | undefined;
  private readonly pending = new Set<string>();
  /** The diagnostics sent last for each document, as JSON; unchanged ones are not sent again. */
  private readonly sent = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(client: () => LanguageClient | undefined) {
    this.client = client;
    this.subscriptions = [
      vscode.languages.onDidChangeDiagnostics((event) => this.schedule(event.uris)),
      vscode.workspace.onDidOpenTextDocument((document) => this.schedule([document.uri])),
      vscode.workspace.onDidCloseTextDocument((document) => this.sent.delete(document.uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('tandem.forwardDiagnostics')) {
          this.resendAll();
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Sends the diagnostics of all documents, for a server that has just started. */
  resendAll(): void {
    this.sent.clear();
    this.schedule(vscode.workspace.textDocuments.map((document) => document.uri));
  }

  private schedule(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) {
      this.pending.add(uri.toString());
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), DEBOUNCE_MS);
  }

  private send(): void {
    const client = this.client();
    const isEnabled = settings().get<boolean>('forwardDiagnostics', true);
    for (const document of vscode.workspace.textDocuments) {
      const key = document.uri.toString();
      if (!client || !this.pending.has(key) || !isSupported(document)) {
        continue;
      }
      const forwarded = isEnabled
        ? vscode.languages.getDiagnostics(document.uri).filter((diagnostic) => diagnostic.source !== 'tandem')
        : [];
      const converter = client.code2ProtocolConverter;
      const params = {
        uri: converter.asUri(document.uri),
        version: document.version,
        diagnostics: forwarded.map((diagnostic) => converter.asDiagnostic(diagnostic)),
      };
      const content = JSON.stringify(params.diagnostics);
      // A document without diagnostics needs no empty list, unless others were sent before.
      if ((this.sent.get(key) ?? '[]') !== content) {
        this.sent.set(key, content);
        void client.sendNotification('tandem/diagnostics', params);
      }
    }
    this.pending.clear();
  }
}
