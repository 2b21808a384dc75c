// The status bar item and its menu.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { configurationPath, TEMPLATE } from './configuration';
import { openDoctor } from './doctor';
import { warn } from './messages';
import type { Status as Report, Why } from './protocol';
import { isSupported, type Server, settings } from './server';
import { withLanguage } from './settings';
import { fileLine, statusBarItem, tooltip } from './statusText';
import { hindranceRows, whyRows } from './why';

/** Usage and counts change without a notification, so they are polled. */
const REFRESH_DELAY_MS = 1500;
const REFRESH_INTERVAL_MS = 20_000;

interface Choice extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

export class Status implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly bar: vscode.StatusBarItem;
  private readonly timer: NodeJS.Timeout;
  private report: Report | undefined;
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
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      this.bar,
      server.onDidChangeCondition(() => {
        this.report = undefined;
        this.render();
      }),
      server.onDidStart((client) => this.onServerStart(client)),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      // The server tells what changed of the models, but not of the file at hand.
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('tandem')) {
          void this.refresh();
        }
      }),
      register('tandem.menu', () => this.menu()),
      register('tandem.whyNothing', () => this.why()),
      register('tandem.snoozeSuggestions', () => this.snooze()),
      register('tandem.wake', () => this.setSnooze(0)),
      register('tandem.setEagerness', () => this.eagerness()),
      register('tandem.restart', () => server.restart()),
      register('tandem.showLog', () => server.log.show()),
      register('tandem.choosePath', () => server.chooseProgram()),
      register('tandem.doctor', () => this.doctor()),
      register('tandem.openConfiguration', () => openConfiguration()),
    ];
    this.render();
    this.bar.show();
  }

  dispose(): void {
    clearInterval(this.timer);
    clearTimeout(this.refreshTimer);
    vscode.Disposable.from(...this.subscriptions).dispose();
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
      this.report = report;
      this.render();
    }
  }

  private onServerStart(client: LanguageClient): void {
    client.onNotification('tandem/statusChanged', (report: Report) => {
      // The notification has no `file`; the last one is kept.
      this.report = this.report?.file ? { file: this.report.file, ...report } : report;
      this.render();
    });
    this.render();
    void this.refresh();
  }

  private render(): void {
    const { condition, failure, program } = this.server;
    const report = this.report;
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

  private async menu(): Promise<void> {
    await this.refresh();
    const run = (command: string) => () => vscode.commands.executeCommand(command);
    const report = this.report;
    const choices: Choice[] = [];
    const { condition, program } = this.server;
    const isMissing = condition === 'failed' && !program;
    const add = (icon: string, label: string, command: string, description?: string) =>
      choices.push({ label: `$(${icon}) ${label}`, run: run(command), ...(description && { description }) });
    if (report?.state === 'local') {
      add('sparkle', 'Set Up a Model…', 'tandem.setUpModel', 'without one, the local engine answers');
    }
    if (isMissing) {
      add('book', 'How to Install', 'tandem.openWalkthrough');
      add('folder-opened', 'Choose the Program…', 'tandem.choosePath');
    }
    if (this.server.client) {
      add('edit', 'Rewrite…', 'tandem.rewriteSelection');
      add('files', 'Change Many Files…', 'tandem.planChange');
      add('comment-discussion', 'Ask About the Workspace…', 'tandem.askWorkspace');
      const why = report?.file && report.file.state !== 'followed' ? `this file ${fileLine(report.file)}` : undefined;
      add('question', 'Why Is There No Suggestion?', 'tandem.whyNothing', why);
      if (report?.snoozedUntil) {
        add('bell', 'End the Snooze', 'tandem.wake');
      } else {
        add('bell-slash', 'Snooze…', 'tandem.snoozeSuggestions');
      }
      add('dashboard', 'Eagerness…', 'tandem.setEagerness', report?.eagerness);
      choices.push(...this.languageChoice());
    }
    if (choices.length > 0) {
      choices.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
    }
    if (program && report?.state !== 'local') {
      add('sparkle', 'Set Up a Model…', 'tandem.setUpModel');
    }
    if (program) {
      add('layers', 'Profile…', 'tandem.switchProfile');
    }
    add('refresh', 'Restart', 'tandem.restart');
    add('output', 'Show Log', 'tandem.showLog');
    if (program) {
      add('pulse', 'Doctor', 'tandem.doctor', 'checks configuration, keys and models in a terminal');
    }
    add('gear', 'Open Configuration File', 'tandem.openConfiguration');
    add('settings-gear', 'Settings', 'tandem.openSettings');
    if (!isMissing) {
      add('book', 'First Steps', 'tandem.openWalkthrough');
    }
    const title = this.server.failure ?? report?.text ?? this.server.condition;
    const picked = await vscode.window.showQuickPick(choices, {
      title: `Tandem: ${title}`,
      placeHolder: 'Choose an action',
    });
    await picked?.run?.();
  }

  /** Turns suggestions off, or on again, for the language at hand. */
  private languageChoice(): Choice[] {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !isSupported(document)) {
      return [];
    }
    const language = document.languageId;
    const isOff = this.report?.file?.state === 'off';
    const run = async () => {
      const languages = settings().get<Record<string, object>>('languages', {});
      const value = withLanguage(languages, language, isOff);
      await settings().update('languages', value, vscode.ConfigurationTarget.Global);
      await this.refresh();
    };
    return [
      isOff
        ? { label: `$(check) Turn On for ${language}`, description: 'off for this language', run }
        : { label: `$(circle-slash) Turn Off for ${language}`, run },
    ];
  }

  private async why(): Promise<void> {
    const client = this.server.client;
    if (!client) {
      void warn(this.server.failure ?? 'the server is not running');
      return;
    }
    const document = vscode.window.activeTextEditor?.document;
    const of =
      document && isSupported(document)
        ? [{ textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) } }]
        : [];
    const [why] = await Promise.all([
      client.sendRequest<Why>('workspace/executeCommand', { command: 'tandem.why', arguments: of }),
      this.refresh(),
    ]);
    const rows: (vscode.QuickPickItem & { readonly command?: string })[] = [];
    const file = this.report?.file;
    if (file && file.state !== 'followed') {
      rows.push({ label: `$(circle-slash) This file ${fileLine(file)}` });
    }
    rows.push(...hindranceRows(this.report), ...whyRows(why.decisions));
    if (rows.length === 0) {
      rows.push({ label: 'Nothing has been requested in this file yet. Type something.' });
    }
    const picked = await vscode.window.showQuickPick(rows, {
      title: 'Why is there no suggestion?',
      placeHolder: 'Recent outcomes, newest first',
      matchOnDetail: true,
    });
    if (picked?.command) {
      await vscode.commands.executeCommand(picked.command);
    }
  }

  private async snooze(): Promise<void> {
    const choices = [5, 15, 60, 24 * 60].map((minutes) => ({
      label: minutes < 60 ? `${minutes} minutes` : minutes === 60 ? '1 hour' : 'a day',
      minutes,
    }));
    const picked = await vscode.window.showQuickPick(choices, { title: 'No suggestions for' });
    if (picked) {
      await this.setSnooze(picked.minutes);
    }
  }

  private async setSnooze(minutes: number): Promise<void> {
    const params = { command: 'tandem.snooze', arguments: [{ minutes }] };
    await this.server.client?.sendRequest('workspace/executeCommand', params);
    await this.refresh();
  }

  private async eagerness(): Promise<void> {
    const choices = [
      { label: 'low', description: 'only suggestions that are very likely right' },
      { label: 'medium' },
      { label: 'high', description: 'all suggestions' },
    ].map((it) => (it.label === this.report?.eagerness ? { ...it, description: it.description ?? 'current' } : it));
    const picked = await vscode.window.showQuickPick(choices, {
      title: `How often to suggest something (now: ${this.report?.eagerness ?? 'unknown'})`,
    });
    if (picked) {
      await settings().update('eagerness', picked.label, vscode.ConfigurationTarget.Global);
    }
  }

  private doctor(): void {
    const program = this.server.program;
    if (!program) {
      void warn(this.server.failure ?? 'no program has been found yet');
      return;
    }
    openDoctor(program);
  }
}

/** Opens the configuration file; a new one is opened unsaved, from the template. */
async function openConfiguration(): Promise<void> {
  const environment = { ...process.env, ...settings().get<Record<string, string>>('environment', {}) };
  const uri = vscode.Uri.file(configurationPath(environment));
  const exists = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  const document = await vscode.workspace.openTextDocument(exists ? uri : uri.with({ scheme: 'untitled' }));
  const editor = await vscode.window.showTextDocument(document);
  if (!exists && document.getText() === '') {
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), TEMPLATE));
  }
}
