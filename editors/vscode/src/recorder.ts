// The recorder: whether it is on, a switch for it, and what it has recorded.

import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient';
import { run } from './child';
import { recordingFolder } from './configuration';
import { show, warn } from './messages';
import type { Pages } from './pages';
import { type Server, settings } from './server';
import type { Status } from './status';

const DELETE = 'Delete';
/** How long a message stays in the status bar. */
const MESSAGE_MS = 5000;
/** How often, and at which interval, the server is asked whether it follows: a file without content is read late. */
const MOST_LOOKS = 10;
const LOOK_INTERVAL_MS = 300;

interface Choice extends vscode.QuickPickItem {
  readonly run: () => Promise<void>;
}

export class Recorder implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private readonly server: Server;
  private readonly status: Status;
  private readonly pages: Pages;

  constructor(server: Server, status: Status, pages: Pages) {
    this.server = server;
    this.status = status;
    this.pages = pages;
    this.subscription = vscode.commands.registerCommand('tandem.recorder', () => this.menu());
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async menu(): Promise<void> {
    await this.status.refresh();
    const isOn = this.status.report?.recording;
    if (!this.server.require()) {
      return;
    }
    const newest = await newestFile();
    const choices: Choice[] = [
      isOn
        ? { label: '$(debug-stop) Stop Recording', run: () => this.turn(false) }
        : {
            label: '$(record) Start Recording',
            detail: 'Edits, prompts and suggestions are written to files, which stay on this machine',
            run: () => this.turn(true),
          },
      { label: '$(list-flat) Show What Is Recorded', run: () => this.show() },
    ];
    if (newest) {
      choices.push(
        { label: '$(go-to-file) Open the Newest File', run: () => open(newest) },
        { label: '$(trash) Delete the Recording…', run: () => this.delete() },
      );
    }
    const picked = await vscode.window.showQuickPick(choices, { title: `The recorder is ${isOn ? 'on' : 'off'}` });
    try {
      await picked?.run();
    } catch (error) {
      void warn(error instanceof Error ? error.message : String(error));
    }
  }

  private async turn(isOn: boolean): Promise<void> {
    const wanted = isOn ? 'on' : 'off';
    await this.record(wanted);
    await this.status.refresh();
    const isFollowed = () => this.status.report?.recording === isOn;
    for (let look = 0; look < MOST_LOOKS && !isFollowed(); look += 1) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
      await this.status.refresh();
    }
    if (isFollowed()) {
      vscode.window.setStatusBarMessage(`Tandem: the recorder is ${wanted}`, MESSAGE_MS);
    } else {
      const why = 'see `record` in the setting `tandem.configuration`, and the log';
      void show(MessageType.Warning, `the recorder is not ${wanted} here; ${why}`);
    }
  }

  private async show(): Promise<void> {
    await this.pages.page('Recording').show(await this.record('show'));
  }

  private async delete(): Promise<void> {
    const detail = 'All files of the recording are removed.';
    const options = { modal: true, detail };
    if ((await vscode.window.showWarningMessage('Delete the whole recording?', options, DELETE)) === DELETE) {
      const said = await this.record('delete');
      vscode.window.setStatusBarMessage(`Tandem: ${said.trim()}`, MESSAGE_MS);
    }
  }

  /** Runs `tandem record`, and gives what it prints. */
  private async record(what: 'on' | 'off' | 'show' | 'delete'): Promise<string> {
    const program = this.server.program?.path;
    if (program === undefined) {
      throw new Error(this.server.failure ?? 'no program has been found yet');
    }
    const { code, output, failure } = await run(program, ['record', what]);
    if (code !== 0) {
      throw failure;
    }
    return output;
  }
}

async function newestFile(): Promise<vscode.Uri | undefined> {
  const environment = { ...process.env, ...settings().get<Record<string, string>>('environment', {}) };
  const folder = vscode.Uri.file(recordingFolder(environment));
  const entries = await vscode.workspace.fs.readDirectory(folder).then(
    (found) => found,
    () => [],
  );
  // Names begin with the time at which a server started to record.
  const names = entries.map(([name]) => name).filter((name) => name.endsWith('.jsonl'));
  const newest = names.sort().at(-1);
  return newest === undefined ? undefined : vscode.Uri.joinPath(folder, newest);
}

async function open(uri: vscode.Uri): Promise<void> {
  await vscode.window.showTextDocument(uri);
}
