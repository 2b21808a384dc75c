// Chooses a model: asks for a provider, its key and a model. The program tests it and writes the configuration.

import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient';
import { run } from './child';
import { show, warn } from './messages';
import { OPEN_CONFIGURATION, sentence } from './remedies';
import { type Server, settings } from './server';
import {
  keyLineText,
  type Failure,
  keyPrompt,
  nameOf,
  noListText,
  type Outcome,
  outcomeText,
  type Problem,
  type Provider,
  problemText,
  providerRow,
} from './setupText';

const TRY_AGAIN = 'Choose Again';
const COPY_LINE = 'Copy Line';
const NO_PROFILE = 'No profile';

interface Models {
  readonly models: readonly string[];
  readonly preferred: string | null;
}

/** What was chosen so far. The key is replaced where it is refused. */
interface Choice {
  readonly provider: Provider;
  readonly name: string;
  readonly args: string[];
  key: string | undefined;
}

interface Profiles {
  readonly profiles: readonly string[];
  readonly active: string | null;
}

export class Setup implements vscode.Disposable {
  private readonly server: Server;
  private readonly onDidWrite: () => void;
  private readonly subscriptions: vscode.Disposable[];

  constructor(server: Server, onDidWrite: () => void) {
    this.server = server;
    this.onDidWrite = onDidWrite;
    this.subscriptions = [
      vscode.commands.registerCommand('tandem.setUpModel', () => this.run(() => this.setUp())),
      vscode.commands.registerCommand('tandem.switchProfile', () => this.run(() => this.switchProfile())),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Does one of the commands, and shows why it failed. */
  private async run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        void warn(error instanceof Error ? error.message : String(error));
      }
    }
  }

  private async setUp(): Promise<void> {
    const offers = await this.ask<{ providers: Provider[]; hasDeep: boolean }>('looking for models on this machine', [
      '--list',
    ]);
    const rows = offers.providers.map((provider) => ({ ...providerRow(provider), provider }));
    const picked = await vscode.window.showQuickPick(rows, {
      title: 'Set Up a Model: Provider',
      placeHolder: 'Choose who runs the model',
      matchOnDetail: true,
    });
    if (!picked) {
      return;
    }
    const { provider } = picked;
    const baseUrl = provider.baseUrl || (await askUrl());
    if (!baseUrl) {
      return;
    }
    const name = nameOf(provider, baseUrl);
    const prompt = keyPrompt(provider, baseUrl);
    const key = prompt && (await askKey(provider, name, prompt));
    if (prompt && key === undefined) {
      return;
    }
    const choice: Choice = { provider, name, args: ['--provider', provider.id], key };
    if (provider.baseUrl === '') {
      choice.args.push('--base-url', baseUrl);
    }
    const listed = await this.askWithKey<Partial<Models> & Failure>(choice, `asking ${name} for its models`, [
      '--list',
    ]);
    if (listed.problem) {
      return this.retry(listed.problem);
    }
    const model = await askModel(name, listed.models ?? [], listed.preferred ?? null, Boolean(choice.key));
    if (!model) {
      return;
    }
    choice.args.push('--model', model);
    if (!offers.hasDeep && provider.wire !== 'fim') {
      choice.args.push('--deep');
    }
    const outcome = await this.askWithKey<Outcome>(choice, `testing ${model} with one small request`);
    if (outcome.problem) {
      return this.retry(outcome.problem);
    }
    this.onDidWrite();
    await report(model, outcome);
  }

  /** Asks the program with the key, and the user for another one as long as it is refused. */
  private async askWithKey<T extends Failure>(choice: Choice, doing: string, more: readonly string[] = []): Promise<T> {
    for (;;) {
      const { provider, name, args, key } = choice;
      const answer = await this.ask<T>(doing, [...args, ...(key ? ['--key-stdin'] : []), ...more], key);
      if (!answer.keyRefused || !answer.problem) {
        return answer;
      }
      const other = await askKey(provider, name, sentence(problemText(answer.problem)));
      if (other === undefined) {
        throw new vscode.CancellationError();
      }
      choice.key = other;
    }
  }

  private async retry(problem: Problem): Promise<void> {
    const message = sentence(problemText(problem));
    if ((await vscode.window.showWarningMessage(message, TRY_AGAIN)) === TRY_AGAIN) {
      await this.setUp();
    }
  }

  private async switchProfile(): Promise<void> {
    const { profiles, active } = await this.start<Profiles>(['profile', '--json']);
    if (profiles.length === 0) {
      throw new Error('the configuration file has no profiles; add a table `[profiles.NAME]`');
    }
    // The setting, if there is one, overrides the file.
    const own = settings().inspect<string>('profile')?.globalValue;
    const current = own && own !== 'default' ? own : active;
    const rows = [NO_PROFILE, ...profiles].map((label) => ({
      label,
      description: label === (current ?? NO_PROFILE) ? 'active' : '',
    }));
    const picked = await vscode.window.showQuickPick(rows, { title: 'Switch to Profile' });
    if (!picked) {
      return;
    }
    await this.start(['profile', ...(picked.label === NO_PROFILE ? ['--none'] : [picked.label])], undefined, false);
    if (own !== undefined) {
      await settings().update('profile', undefined, vscode.ConfigurationTarget.Global);
    }
    this.onDidWrite();
  }

  /** Runs `tandem setup` with progress, which can be cancelled. */
  private async ask<T>(doing: string, args: readonly string[], key?: string): Promise<T> {
    return vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `Tandem: ${doing}`, cancellable: true },
      (_, token) => this.start<T>(['setup', ...args, '--json'], { key, token }),
    );
  }

  /** Runs the program, and gives what it prints. A key goes to it by standard input: arguments are visible to others. */
  private async start<T>(
    args: readonly string[],
    { key, token }: { key?: string | undefined; token?: vscode.CancellationToken } = {},
    isJson = true,
  ): Promise<T> {
    const program = this.server.program;
    if (!program) {
      throw new Error(this.server.failure ?? 'no program has been found yet');
    }
    const { code, output, failure } = await run(program.path, args, { input: key ? `${key}\n` : '', token });
    if (!isJson) {
      if (code !== 0) {
        throw failure;
      }
      return undefined as T;
    }
    try {
      return JSON.parse(output) as T;
    } catch {
      throw failure;
    }
  }
}

async function askUrl(): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: 'Set Up a Model: Base URL',
    prompt: 'The address of an API like OpenAI’s, with its version',
    placeHolder: 'https://llm.example.com/v1',
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^https?:\/\/\S+$/.test(value.trim()) ? undefined : 'A URL begins with https:// or http://',
  });
  return typed?.trim();
}

/** A key; empty for none, and undefined if the user gave up. */
async function askKey(provider: Provider, name: string, prompt: string): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: `Set Up a Model: Key for ${name}`,
    prompt,
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (provider.state.kind === 'needsKey' && value.trim() === '' ? 'Paste a key' : undefined),
  });
  return typed?.trim();
}

async function askModel(
  name: string,
  models: readonly string[],
  preferred: string | null,
  withKey: boolean,
): Promise<string | undefined> {
  const title = `Set Up a Model: Model of ${name}`;
  if (models.length === 0) {
    const value = preferred ?? '';
    const prompt = noListText(name, withKey);
    return (await vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true }))?.trim();
  }
  const rows = [...models]
    .sort((a, b) => Number(b === preferred) - Number(a === preferred))
    .map((label) => ({ label, description: label === preferred ? 'suggested' : '' }));
  return (await vscode.window.showQuickPick(rows, { title }))?.label;
}

async function report(model: string, outcome: Outcome): Promise<void> {
  if (!outcome.profileLine) {
    // Its notes name settings of that file.
    await show(MessageType.Info, outcomeText(model, outcome), [OPEN_CONFIGURATION]);
    return;
  }
  const message = keyLineText(process.platform);
  if ((await vscode.window.showWarningMessage(message, COPY_LINE)) === COPY_LINE) {
    await vscode.env.clipboard.writeText(outcome.profileLine);
  }
}
