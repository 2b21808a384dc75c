// The menu of the status bar item, and the lists that it leads to.

import * as vscode from 'vscode';
import { configurationPath, TEMPLATE } from './configuration';
import { openReport, type ReportName } from './doctor';
import { warn } from './messages';
import { chooseModel } from './model';
import type { Pages } from './pages';
import type { Why } from './protocol';
import { remedies } from './remedies';
import { isSupported, type Server, settings } from './server';
import { withLanguage } from './settings';
import type { Status } from './status';
import { fileLine } from './statusText';
import { hindranceRows, whyRows } from './why';

interface Choice extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

export class StatusMenu implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly status: Status;
  private readonly pages: Pages;

  constructor(server: Server, status: Status, pages: Pages) {
    this.server = server;
    this.status = status;
    this.pages = pages;
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      register('tandem.menu', () => this.menu()),
      register('tandem.whyNothing', () => this.why()),
      register('tandem.snoozeSuggestions', () => this.snooze()),
      register('tandem.wake', () => this.setSnooze(0)),
      register('tandem.setEagerness', () => this.eagerness()),
      register('tandem.restart', () => server.restart()),
      register('tandem.showLog', () => server.log.show()),
      register('tandem.choosePath', () => server.chooseProgram()),
      register('tandem.chooseModel', () => chooseModel(server).then(() => status.refresh())),
      register('tandem.doctor', () => this.report('doctor')),
      register('tandem.usage', () => this.report('usage')),
      register('tandem.openConfiguration', () => openConfiguration()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async menu(): Promise<void> {
    await this.status.refresh();
    const run = (command: string) => () => vscode.commands.executeCommand(command);
    const { report } = this.status;
    const choices: Choice[] = [];
    const { condition, program } = this.server;
    const isMissing = condition === 'failed' && !program;
    const add = (icon: string, label: string, command: string, description?: string) =>
      choices.push({ label: `$(${icon}) ${label}`, run: run(command), ...(description && { description }) });
    if (report?.state === 'local') {
      add('sparkle', 'Set Up a Model…', 'tandem.setUpModel', 'without one, the local engine answers');
    }
    for (const { label, command } of remedies(report?.caps?.reached ?? '')) {
      add('circle-slash', label, command);
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
      add('server', 'Model…', 'tandem.chooseModel');
      add('sparkle', 'Set Up a Model…', 'tandem.setUpModel');
    }
    if (program) {
      add('layers', 'Profile…', 'tandem.switchProfile');
    }
    if (report?.recording !== undefined) {
      add('record', 'Recorder…', 'tandem.recorder', report.recording ? 'on' : 'off');
    }
    add('refresh', 'Restart', 'tandem.restart');
    add('output', 'Show Log', 'tandem.showLog');
    if (program) {
      add('pulse', 'Doctor', 'tandem.doctor', 'checks configuration, keys and models in a terminal');
      add('graph', 'Usage', 'tandem.usage', 'what was suggested, kept and spent, day by day');
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
    const isOff = this.status.report?.file?.state === 'off';
    const run = async () => {
      const languages = settings().get<Record<string, object>>('languages', {});
      const value = withLanguage(languages, language, isOff);
      await settings().update('languages', value, vscode.ConfigurationTarget.Global);
      await this.status.refresh();
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
      this.status.refresh(),
    ]);
    const rows: (vscode.QuickPickItem & { readonly command?: string })[] = [];
    const file = this.status.report?.file;
    if (file && file.state !== 'followed') {
      rows.push({ label: `$(circle-slash) This file ${fileLine(file)}` });
    }
    rows.push(...hindranceRows(this.status.report), ...whyRows(why.decisions));
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
    await this.status.refresh();
  }

  private async eagerness(): Promise<void> {
    const now = this.status.report?.eagerness;
    const choices = [
      { label: 'low', description: 'only suggestions that are very likely right' },
      { label: 'medium', description: 'suggestions that are likely right' },
      { label: 'high', description: 'all suggestions' },
    ].map((it) => (it.label === now ? { ...it, description: `${it.description} (now)` } : it));
    const picked = await vscode.window.showQuickPick(choices, {
      title: 'How often to suggest something',
    });
    if (picked) {
      await settings().update('eagerness', picked.label, vscode.ConfigurationTarget.Global);
    }
  }

  private report(name: ReportName): void {
    const program = this.server.program;
    if (!program) {
      void warn(this.server.failure ?? 'no program has been found yet');
      return;
    }
    void openReport(program, name, this.pages);
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
