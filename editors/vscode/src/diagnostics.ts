// What other servers say of a document, told to ours: it fixes what a compiler found.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { isFollowed, settings } from './server';

/** Compilers report in bursts, one file at a time. */
const QUIET_MS = 200;

export class Diagnostics implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly client: () => LanguageClient | undefined;
  private readonly waiting = new Set<string>();
  /** What was sent last for each document, so that the same is not sent again. */
  private readonly sent = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(client: () => LanguageClient | undefined) {
    this.client = client;
    this.subscriptions = [
      vscode.languages.onDidChangeDiagnostics((event) => this.later(event.uris)),
      vscode.workspace.onDidOpenTextDocument((document) => this.later([document.uri])),
      vscode.workspace.onDidCloseTextDocument((document) => this.sent.delete(document.uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('tandem.forwardDiagnostics')) {
          this.all();
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Tells a server that has just started. */
  all(): void {
    this.sent.clear();
    this.later(vscode.workspace.textDocuments.map((document) => document.uri));
  }

  private later(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) {
      this.waiting.add(uri.toString());
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), QUIET_MS);
  }

  private send(): void {
    const client = this.client();
    const isOn = settings().get<boolean>('forwardDiagnostics', true);
    for (const document of vscode.workspace.textDocuments) {
      const key = document.uri.toString();
      if (!client || !this.waiting.has(key) || !isFollowed(document)) {
        continue;
      }
      const foreign = isOn
        ? vscode.languages.getDiagnostics(document.uri).filter((diagnostic) => diagnostic.source !== 'tandem')
        : [];
      const converter = client.code2ProtocolConverter;
      const params = {
        uri: converter.asUri(document.uri),
        version: document.version,
        diagnostics: foreign.map((diagnostic) => converter.asDiagnostic(diagnostic)),
      };
      const content = JSON.stringify(params.diagnostics);
      // A document of which nothing was ever said needs no empty list.
      if ((this.sent.get(key) ?? '[]') !== content) {
        this.sent.set(key, content);
        void client.sendNotification('tandem/diagnostics', params);
      }
    }
    this.waiting.clear();
  }
}
