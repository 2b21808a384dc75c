// Runs the server: finds the program, starts and stops it, sends settings, restarts it after a crash.

import * as os from 'node:os';
import * as readline from 'node:readline';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type FeatureState,
  type Middleware,
  RevealOutputChannelOn,
  ShowMessageNotification,
  State,
  type StaticFeature,
} from 'vscode-languageclient';
import { type Executable, LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';
import { show, warn } from './messages';
import { findProgram, type Program, ProgramError } from './program';
import { Restarts } from './restarts';
import { serverSettings } from './settings';

/** Documents that Tandem supports: files of this machine, unsaved ones, and the cells of notebooks. */
export const SELECTOR = [{ scheme: 'file' }, { scheme: 'untitled' }, { scheme: 'vscode-notebook-cell' }];

/** The boxes for commit messages in Source Control, which have ghost text and nothing else. */
export const COMMIT_BOX = 'vscode-scm';

/** Whether Tandem works on the document as code. */
export function isSupported(document: vscode.TextDocument): boolean {
  return SELECTOR.some((filter) => filter.scheme === document.uri.scheme);
}

export type Condition = 'stopped' | 'starting' | 'running' | 'failed';

const RESTART = 'Restart';
const SHOW_LOG = 'Show Log';
const CHOOSE_FILE = 'Choose File…';
const HOW_TO_INSTALL = 'How to Install';

/** Logs errors without the library's notifications; `Server` shows its own, with a remedy. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}

/** Announces support for protocol extensions. See editors/protocol.md. */
const CAPABILITIES: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = {
      ...capabilities.experimental,
      tandem: { statusNotification: true, partialAccept: true, ghostTextNotification: true, rename: true, left: true },
    };
  },
  getState: (): FeatureState => ({ kind: 'static' }),
  initialize() {},
  clear() {},
};

export class Server implements vscode.Disposable {
  readonly log: vscode.LogOutputChannel;
  /** Fires when the server is ready for requests, also after each restart. */
  readonly onDidStart: vscode.Event<LanguageClient>;
  readonly onDidChangeCondition: vscode.Event<Condition>;

  private readonly started = new vscode.EventEmitter<LanguageClient>();
  private readonly conditionChanged = new vscode.EventEmitter<Condition>();
  private readonly restarts = new Restarts();
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly middleware: Middleware;
  private readonly extension: string;
  private activeClient: LanguageClient | undefined;
  private state: Condition = 'stopped';
  private lastProgram: Program | undefined;
  private lastProblem: string | undefined;
  /** The problem reported last; it is reported again only after a change. */
  private reportedProblem: string | undefined;
  /** Serialises starts and stops. */
  private queue: Promise<void> = Promise.resolve();

  /** @param extension The extension's folder. */
  constructor(middleware: Middleware, extension: string) {
    this.middleware = middleware;
    this.extension = extension;
    this.log = vscode.window.createOutputChannel('Tandem', { log: true });
    this.onDidStart = this.started.event;
    this.onDidChangeCondition = this.conditionChanged.event;
    this.subscriptions.push(
      this.log,
      this.started,
      this.conditionChanged,
      vscode.workspace.onDidChangeConfiguration((event) => this.configurationChanged(event)),
      // Without trust, the server does not read the project's `.tandem.toml`.
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
    );
  }

  /** The client, if the server is running. */
  get client(): LanguageClient | undefined {
    return this.state === 'running' ? this.activeClient : undefined;
  }

  /** The client, or a message why it does not run. */
  require(): LanguageClient | undefined {
    const { client } = this;
    if (!client) {
      void warn(this.failure ?? 'the server is not running');
    }
    return client;
  }

  get condition(): Condition {
    return this.state;
  }

  /** The program that was started last. */
  get program(): Program | undefined {
    return this.lastProgram;
  }

  /** Why the server failed, in one sentence. */
  get failure(): string | undefined {
    return this.state === 'failed' ? this.lastProblem : undefined;
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  /** Stops the server if it is running, and starts it. Earlier problems may be reported again. */
  restart(): Promise<void> {
    this.restarts.reset();
    this.reportedProblem = undefined;
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Lets the user pick the program, and stores it in the settings. */
  async chooseProgram(): Promise<void> {
    const picked = await vscode.window.showOpenDialog({
      title: 'The program tandem',
      openLabel: 'Use',
      defaultUri: vscode.Uri.file(os.homedir()),
    });
    if (picked?.[0]) {
      await settings().update('path', picked[0].fsPath, vscode.ConfigurationTarget.Global);
    }
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.queue.then(work);
    // A failure reaches the caller, but must not block later work.
    this.queue = done.catch(() => undefined);
    return done;
  }

  private async startNow(): Promise<void> {
    if (this.activeClient || !settings().get<boolean>('enabled', true)) {
      return;
    }
    this.setCondition('starting');
    try {
      this.lastProgram = await findProgram(settings().get<string>('path', ''), this.extension);
    } catch (error) {
      if (!(error instanceof ProgramError)) {
        throw error;
      }
      this.lastProgram = undefined;
      this.reportFailure(
        error.message,
        ...(error.kind === 'absent' ? [HOW_TO_INSTALL, CHOOSE_FILE] : [CHOOSE_FILE, SHOW_LOG]),
      );
      return;
    }
    this.log.info(`starting ${this.lastProgram.path}, version ${this.lastProgram.version}`);
    const client = this.makeClient(this.lastProgram);
    this.activeClient = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`the server did not start: ${String(error)}`);
      await this.onUnexpectedExit(client);
      return;
    }
    this.setCondition('running');
    this.reportedProblem = undefined;
    this.started.fire(client);
  }

  private async stopNow(): Promise<void> {
    const client = this.activeClient;
    this.activeClient = undefined;
    this.setCondition('stopped');
    await disposeClient(client);
  }

  private makeClient(program: Program): LanguageClient {
    const environment = settings().get<Record<string, string>>('environment', {});
    const executable: Executable = {
      command: program.path,
      args: settings().get('shared', false) ? ['lsp', '--shared'] : ['lsp'],
      options: { env: { ...process.env, ...environment } },
    };
    const options: LanguageClientOptions = {
      documentSelector: [...SELECTOR, { scheme: COMMIT_BOX }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { ...serverSettings(settings()), trusted: vscode.workspace.isTrusted },
      // `startNow` reports failed starts; the library must not retry.
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      stdioOptions: { stdout: forwardStderr, stderr: forwardStderr },
      middleware: this.middleware,
    };
    const client = new QuietClient('tandem', 'Tandem', executable, options);
    client.registerFeature(CAPABILITIES);
    // The library's own handler, which this replaces, has no buttons.
    client.onNotification(ShowMessageNotification.type, ({ type, message }) => void show(type, message));
    client.onDidChangeState(({ oldState, newState }) => {
      if (oldState === State.Running && newState === State.Stopped) {
        // Ignored there if this extension stopped the server.
        void this.enqueue(() => this.onUnexpectedExit(client));
      }
    });
    return client;
  }

  /** Handles a server that exited without being stopped: restarts it, up to a limit. */
  private async onUnexpectedExit(client: LanguageClient): Promise<void> {
    if (this.activeClient !== client) {
      return;
    }
    this.activeClient = undefined;
    await disposeClient(client);
    if (this.restarts.allow(Date.now())) {
      this.log.warn('the server exited unexpectedly; restarting it');
      await this.startNow();
    } else {
      this.reportFailure('the server keeps crashing, so it is not restarted', RESTART, SHOW_LOG);
    }
  }

  private reportFailure(problem: string, ...actions: string[]): void {
    this.lastProblem = problem;
    this.log.error(problem);
    this.setCondition('failed');
    if (this.reportedProblem === problem) {
      return;
    }
    this.reportedProblem = problem;
    void vscode.window.showErrorMessage(`Tandem: ${problem}.`, ...actions).then((action) => {
      switch (action) {
        case RESTART:
          return this.restart();
        case SHOW_LOG:
          return this.log.show();
        case CHOOSE_FILE:
          return this.chooseProgram();
        case HOW_TO_INSTALL:
          return vscode.commands.executeCommand('tandem.openWalkthrough');
      }
      return undefined;
    });
  }

  private setCondition(condition: Condition): void {
    if (this.state !== condition) {
      this.state = condition;
      void vscode.commands.executeCommand('setContext', 'tandem.running', condition === 'running');
      this.conditionChanged.fire(condition);
    }
  }

  private configurationChanged(event: vscode.ConfigurationChangeEvent): void {
    const affects = (name: string) => event.affectsConfiguration(`tandem.${name}`);
    if (['path', 'shared', 'environment', 'enabled'].some(affects)) {
      void this.restart();
    } else if (event.affectsConfiguration('tandem')) {
      void this.client?.sendNotification('workspace/didChangeConfiguration', {
        settings: { tandem: serverSettings(settings()) },
      });
    }
  }
}

/** Logs standard error of the server, at the level of each line. Debug output is logged as info, so that it shows. */
function forwardStderr(input: NodeJS.ReadableStream, log: vscode.LogOutputChannel): void {
  readline.createInterface({ input, crlfDelay: Infinity }).on('line', (line) => {
    const [, level, text = line] = /^\S+Z\s+(ERROR|WARN|INFO|DEBUG|TRACE)\s+(.*)$/.exec(line) ?? [];
    if (level === 'ERROR') {
      log.error(text);
    } else if (level === 'WARN') {
      log.warn(text);
    } else {
      log.info(text);
    }
  });
}

export function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('tandem');
}

/** Disposes a client in any state. */
async function disposeClient(client: LanguageClient | undefined): Promise<void> {
  try {
    await client?.dispose(2000);
  } catch {
    // A client that did not start or has crashed cannot be stopped.
  }
}
