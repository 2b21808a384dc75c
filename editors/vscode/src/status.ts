// The status bar item: what the server reports of itself and of the file at hand.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Status as Report } from './protocol';
import { isSupported, type Server } from './server';
import { statusBarItem, tooltip } from './statusText';

/** Usage and counts change without a notification, so they are polled. */
const REFRESH_DELAY_MS = 1500;
const REFRESH_INTERVAL_MS = 20_000;

export class Status implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly bar: vscode.StatusBarItem;
  private readonly timer: NodeJS.Timeout;
  private last: Report | undefined;
  private refreshTimer: NodeJS.Timeout | undefined;

  constructor(server: Server) {
    this.server = server;
    this.bar = vscode.window.createStatusBarItem('tandem.status', vscode.StatusBarAlignment.Right, 100);
    this.bar.name = 'Tandem';
    this.bar.command = 'tandem.menu';
    this.timer = setInterval(() => {
      if (vscode.window.state.focused) {
        void this.refresh();
      }
    }, REFRESH_INTERVAL_MS);
    this.subscriptions = [
      this.bar,
      server.onDidChangeCondition(() => {
        this.last = undefined;
        this.render();
      }),
      server.onDidStart((client) => this.onServerStart(client)),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      // The server reports changes of the models, but not of the file at hand.
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('tandem')) {
          void this.refresh();
        }
      }),
    ];
    this.render();
    this.bar.show();
  }

  dispose(): void {
    clearInterval(this.timer);
    clearTimeout(this.refreshTimer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What the server reported last. */
  get report(): Report | undefined {
    return this.last;
  }

  /** Schedules a refresh, after something was shown or accepted. */
  refreshSoon(): void {
    this.refreshTimer ??= setTimeout(() => {
      this.refreshTimer = undefined;
      void this.refresh();
    }, REFRESH_DELAY_MS);
  }

  /** Requests the status and renders it. */
  async refresh(): Promise<void> {
    const client = this.server.client;
    if (!client) {
      return;
    }
    const document = vscode.window.activeTextEditor?.document;
    const params =
      document && isSupported(document)
        ? { textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) } }
        : {};
    const report = await client.sendRequest<Report>('tandem/status', params).catch((error: unknown) => {
      this.server.log.debug(`tandem/status: ${String(error)}`);
      return undefined;
    });
    if (report && this.server.client === client) {
      this.last = report;
      this.render();
    }
  }

  private onServerStart(client: LanguageClient): void {
    client.onNotification('tandem/statusChanged', (report: Report) => {
      // The notification has no `file`; the last one is kept.
      this.last = this.last?.file ? { file: this.last.file, ...report } : report;
      this.render();
    });
    this.render();
    void this.refresh();
  }

  private render(): void {
    const { condition, failure, program } = this.server;
    const report = this.last;
    const document = vscode.window.activeTextEditor?.document;
    const shown =
      condition === 'failed'
        ? { text: '$(error) Tandem', color: 'error' as const }
        : condition === 'stopped'
          ? { text: '$(circle-slash) Tandem' }
          : condition === 'starting'
            ? { text: '$(loading~spin) Tandem' }
            : statusBarItem(report, new Date());
    this.bar.text = shown.text;
    this.bar.backgroundColor = shown.color && new vscode.ThemeColor(`statusBarItem.${shown.color}Background`);
    const text = new vscode.MarkdownString();
    if (failure) {
      text.appendText(`Tandem: ${failure}.`);
    } else if (report) {
      text.appendMarkdown(tooltip(report, program && `${program.path}, version ${program.version}`, new Date()));
    } else {
      text.appendText(`Tandem: ${condition}`);
    }
    if (document && !isSupported(document) && !['output', 'vscode-settings'].includes(document.uri.scheme)) {
      text.appendText(`\n\nThis is \`${document.uri.scheme}\`: Tandem works on local and unsaved files.`);
    }
    this.bar.tooltip = text;
    this.bar.accessibilityInformation = { label: `Tandem: ${report?.text ?? failure ?? condition}` };
  }
}
