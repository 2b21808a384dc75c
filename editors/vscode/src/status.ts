// The item in the status bar, and the menu behind it.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { configurationPath, TEMPLATE } from './configuration';
import type { Status as Report, Why } from './protocol';
import { isFollowed, type Server, settings } from './server';
import { fileLine, item, tooltip } from './words';

/** What is spent and counted changes without a notification; nobody needs it to the second. */
const SOON_MS = 1500;
const REFRESH_MS = 20_000;

interface Choice extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

export class Status implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly bar: vscode.StatusBarItem;
  private readonly timer: NodeJS.Timeout;
  private report: Report | undefined;
  private later: NodeJS.Timeout | undefined;

  constructor(server: Server) {
    this.server = server;
    this.bar = vscode.window.createStatusBarItem('tandem.status', vscode.StatusBarAlignment.Right, 100);
    this.bar.name = 'Tandem';
    this.bar.command = 'tandem.menu';
    this.timer = setInterval(() => {
      if (vscode.window.state.focused) {
        void this.refresh();
      }
    }, REFRESH_MS);
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      this.bar,
      server.onDidChangeCondition(() => {
        this.report = undefined;
        this.draw();
      }),
      server.onDidStart((client) => this.follow(client)),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      register('tandem.menu', () => this.menu()),
      register('tandem.whyNothing', () => this.why()),
      register('tandem.snoozeSuggestions', () => this.snooze()),
      register('tandem.wake', () => this.sleep(0)),
      register('tandem.setEagerness', () => this.eagerness()),
      register('tandem.restart', () => server.restart()),
      register('tandem.showLog', () => server.log.show()),
      register('tandem.choosePath', () => server.choose()),
      register('tandem.doctor', () => this.doctor()),
      register('tandem.openConfiguration', () => openConfiguration()),
    ];
    this.draw();
    this.bar.show();
  }

  dispose(): void {
    clearInterval(this.timer);
    clearTimeout(this.later);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Something was shown or accepted, which counts and may have cost. */
  soon(): void {
    this.later ??= setTimeout(() => {
      this.later = undefined;
      void this.refresh();
    }, SOON_MS);
  }

  /** Asks the server how things are. */
  async refresh(): Promise<void> {
    const client = this.server.client;
    if (!client) {
      return;
    }
    const document = vscode.window.activeTextEditor?.document;
    const params =
      document && isFollowed(document)
        ? { textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) } }
        : {};
    const report = await client.sendRequest<Report>('tandem/status', params).catch((error: unknown) => {
      this.server.log.debug(`tandem/status: ${String(error)}`);
      return undefined;
    });
    if (report && this.server.client === client) {
      this.report = report;
      this.draw();
    }
  }

  private follow(client: LanguageClient): void {
    client.onNotification('tandem/statusChanged', (report: Report) => {
      // What it says of a file is not in the notification.
      this.report = this.report?.file ? { file: this.report.file, ...report } : report;
      this.draw();
    });
    this.draw();
    void this.refresh();
  }

  private draw(): void {
    const { condition, failure, program } = this.server;
    const report = this.report;
    const foreign = vscode.window.activeTextEditor?.document;
    const shown =
      condition === 'failed'
        ? { text: '$(error) Tandem', color: 'error' as const }
        : condition === 'stopped'
          ? { text: '$(circle-slash) Tandem' }
          : condition === 'starting'
            ? { text: '$(loading~spin) Tandem' }
            : item(report, new Date());
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
    if (foreign && !isFollowed(foreign) && !['output', 'vscode-settings'].includes(foreign.uri.scheme)) {
      text.appendText(`\n\nThis is \`${foreign.uri.scheme}\`: Tandem works on files on disk and unsaved ones.`);
    }
    this.bar.tooltip = text;
    this.bar.accessibilityInformation = { label: `Tandem: ${report?.text ?? failure ?? condition}` };
  }

  private async menu(): Promise<void> {
    await this.refresh();
    const run = (command: string) => () => vscode.commands.executeCommand(command);
    const report = this.report;
    const choices: Choice[] = [];
    const add = (icon: string, label: string, command: string, description?: string) =>
      choices.push({ label: `$(${icon}) ${label}`, run: run(command), ...(description && { description }) });
    if (this.server.client) {
      add('edit', 'Rewrite…', 'tandem.rewriteSelection');
      add('question', 'Why Is There No Suggestion?', 'tandem.whyNothing', report?.file && fileLine(report.file));
      if (report?.snoozedUntil) {
        add('bell', 'Wake', 'tandem.wake');
      } else {
        add('bell-slash', 'Snooze…', 'tandem.snoozeSuggestions');
      }
      add('dashboard', 'Eagerness…', 'tandem.setEagerness', report?.eagerness);
    }
    choices.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
    add('refresh', 'Restart', 'tandem.restart');
    add('output', 'Show Log', 'tandem.showLog');
    add('pulse', 'Doctor', 'tandem.doctor', 'checks configuration, keys and models, in a terminal');
    add('gear', 'Open Configuration File', 'tandem.openConfiguration');
    add('settings-gear', 'Settings', 'tandem.openSettings');
    const title = this.server.failure ?? report?.text ?? this.server.condition;
    const picked = await vscode.window.showQuickPick(choices, {
      title: `Tandem: ${title}`,
      placeHolder: 'What is to be done?',
    });
    await picked?.run?.();
  }

  private async why(): Promise<void> {
    const client = this.server.client;
    if (!client) {
      void vscode.window.showWarningMessage(`Tandem: ${this.server.failure ?? 'the server is not running'}.`);
      return;
    }
    const document = vscode.window.activeTextEditor?.document;
    const of =
      document && isFollowed(document)
        ? [{ textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) } }]
        : [];
    const [why] = await Promise.all([
      client.sendRequest<Why>('workspace/executeCommand', { command: 'tandem.why', arguments: of }),
      this.refresh(),
    ]);
    const rows: vscode.QuickPickItem[] = [];
    const file = this.report?.file;
    if (file && file.state !== 'followed') {
      rows.push({ label: `$(circle-slash) This file is ${file.state}`, ...(file.why && { detail: file.why }) });
    }
    for (const decision of why.decisions) {
      const time = new Date(decision.at).toLocaleTimeString('en-GB');
      const who = decision.model ?? decision.gear ?? '';
      rows.push({
        label: `$(${decision.outcome === 'shown' ? 'check' : 'dash'}) ${decision.why}`,
        description: [`line ${decision.line + 1}`, decision.job, decision.code].filter(Boolean).join(', '),
        detail: [time, decision.trigger, `${Math.round(decision.milliseconds)} ms`, who].filter(Boolean).join(', '),
      });
    }
    if (rows.length === 0) {
      rows.push({ label: 'Nothing has been asked for in this file yet. Type something.' });
    }
    await vscode.window.showQuickPick(rows, {
      title: 'Why is there no suggestion?',
      placeHolder: 'The last decisions, newest first',
      matchOnDescription: true,
    });
  }

  private async snooze(): Promise<void> {
    const choices = [5, 15, 60, 24 * 60].map((minutes) => ({
      label: minutes < 60 ? `${minutes} minutes` : minutes === 60 ? '1 hour' : 'a day',
      minutes,
    }));
    const picked = await vscode.window.showQuickPick(choices, { title: 'No suggestions for' });
    if (picked) {
      await this.sleep(picked.minutes);
    }
  }

  private async sleep(minutes: number): Promise<void> {
    const params = { command: 'tandem.snooze', arguments: [{ minutes }] };
    await this.server.client?.sendRequest('workspace/executeCommand', params);
    await this.refresh();
  }

  private async eagerness(): Promise<void> {
    const choices = [
      { label: 'low', description: 'only where a suggestion is very likely right' },
      { label: 'medium' },
      { label: 'high', description: 'wherever there is something to say' },
    ].map((it) => (it.label === this.report?.eagerness ? { ...it, description: it.description ?? 'as now' } : it));
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
      void vscode.window.showWarningMessage(`Tandem: ${this.server.failure ?? 'there is no program to run yet'}.`);
      return;
    }
    const environment = settings().get<Record<string, string>>('environment', {});
    // Not as text for a shell: a path may hold anything.
    const terminal = vscode.window.createTerminal({
      name: 'Tandem Doctor',
      shellPath: program.path,
      shellArgs: ['doctor'],
      env: environment,
      iconPath: new vscode.ThemeIcon('pulse'),
      isTransient: true,
    });
    terminal.show();
  }
}

/** The file in which the server looks for its configuration; opened unsaved where there is none. */
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
