// The server's life: found, started, told of changed settings, started again after a crash, stopped.

import * as os from 'node:os';
import * as readline from 'node:readline';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type FeatureState,
  type Middleware,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
} from 'vscode-languageclient';
import { type Executable, LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/node';
import { find, NoProgram, type Program } from './program';
import { Restarts } from './restarts';
import { serverSettings } from './settings';

/** What Tandem works on: files on this machine, and what has not been saved yet. */
export const SELECTOR = [{ scheme: 'file' }, { scheme: 'untitled' }];

/** Whether a document is one that the server follows. */
export function isFollowed(document: vscode.TextDocument): boolean {
  return SELECTOR.some((filter) => filter.scheme === document.uri.scheme);
}

export type Condition = 'stopped' | 'starting' | 'running' | 'failed';

const RESTART = 'Restart';
const SHOW_LOG = 'Show Log';
const CHOOSE = 'Choose File…';
const HOW_TO = 'How to Install';

/** The library's own client shows a box for whatever fails. We show one, with what to do, or none. */
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

/** Tells the server what we can do beyond the standard. */
const ANNOUNCE: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = {
      ...capabilities.experimental,
      tandem: { statusNotification: true, partialAccept: true },
    };
  },
  getState: (): FeatureState => ({ kind: 'static' }),
  initialize() {},
  clear() {},
};

export class Server implements vscode.Disposable {
  readonly log: vscode.LogOutputChannel;
  /** The server runs, and its client can be asked. Fires again after each restart. */
  readonly onDidStart: vscode.Event<LanguageClient>;
  readonly onDidChangeCondition: vscode.Event<Condition>;

  private readonly started = new vscode.EventEmitter<LanguageClient>();
  private readonly changed = new vscode.EventEmitter<Condition>();
  private readonly restarts = new Restarts();
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly middleware: Middleware;
  private running: LanguageClient | undefined;
  private current: Condition = 'stopped';
  private found: Program | undefined;
  private problem: string | undefined;
  /** The last problem that was shown: it is not shown again until something changed. */
  private shown: string | undefined;
  /** Starts and stops, one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(middleware: Middleware) {
    this.middleware = middleware;
    this.log = vscode.window.createOutputChannel('Tandem', { log: true });
    this.onDidStart = this.started.event;
    this.onDidChangeCondition = this.changed.event;
    this.subscriptions.push(
      this.log,
      this.started,
      this.changed,
      vscode.workspace.onDidChangeConfiguration((event) => this.configurationChanged(event)),
      // The server has left the project's file unread until now.
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
    );
  }

  /** The client to ask, if the server runs. */
  get client(): LanguageClient | undefined {
    return this.current === 'running' ? this.running : undefined;
  }

  get condition(): Condition {
    return this.current;
  }

  /** The program that runs or ran last. */
  get program(): Program | undefined {
    return this.found;
  }

  /** Why the server does not run, in one sentence. */
  get failure(): string | undefined {
    return this.current === 'failed' ? this.problem : undefined;
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  /** Stops the server, if it runs, and starts it. What went wrong before may be shown again. */
  restart(): Promise<void> {
    this.restarts.reset();
    this.shown = undefined;
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

  /** Lets the user pick the program, which is then in the settings. */
  async choose(): Promise<void> {
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
    // One that failed must not keep the next from running; its caller hears of it.
    this.queue = done.catch(() => undefined);
    return done;
  }

  private async startNow(): Promise<void> {
    if (this.running || !settings().get<boolean>('enabled', true)) {
      return;
    }
    this.set('starting');
    try {
      this.found = await find(settings().get<string>('path', ''));
    } catch (error) {
      if (!(error instanceof NoProgram)) {
        throw error;
      }
      this.found = undefined;
      this.fail(error.message, ...(error.kind === 'absent' ? [HOW_TO, CHOOSE] : [CHOOSE, SHOW_LOG]));
      return;
    }
    this.log.info(`starting ${this.found.path}, version ${this.found.version}`);
    const client = this.makeClient(this.found);
    this.running = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`the server did not start: ${String(error)}`);
      await this.ended(client);
      return;
    }
    this.set('running');
    this.shown = undefined;
    this.started.fire(client);
  }

  private async stopNow(): Promise<void> {
    const client = this.running;
    this.running = undefined;
    this.set('stopped');
    await end(client);
  }

  private makeClient(program: Program): LanguageClient {
    const environment = settings().get<Record<string, string>>('environment', {});
    const executable: Executable = {
      command: program.path,
      args: ['lsp'],
      options: { env: { ...process.env, ...environment } },
    };
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { ...serverSettings(settings()), trusted: vscode.workspace.isTrusted },
      // A failed start is reported in one place, and the library is not to try on its own.
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
      stdioOptions: { stdout: writeDown, stderr: writeDown },
      middleware: this.middleware,
    };
    const client = new QuietClient('tandem', 'Tandem', executable, options);
    client.registerFeature(ANNOUNCE);
    client.onDidChangeState(({ oldState, newState }) => {
      if (oldState === State.Running && newState === State.Stopped) {
        // Nothing is to be done if we ended it.
        void this.enqueue(() => this.ended(client));
      }
    });
    return client;
  }

  /** A client whose server is gone though nobody stopped it. */
  private async ended(client: LanguageClient): Promise<void> {
    if (this.running !== client) {
      return;
    }
    this.running = undefined;
    await end(client);
    if (this.restarts.allow(Date.now())) {
      this.log.warn('the server ended by itself; starting it again');
      await this.startNow();
    } else {
      this.fail('the server keeps ending by itself, so it is not started again', RESTART, SHOW_LOG);
    }
  }

  private fail(problem: string, ...actions: string[]): void {
    this.problem = problem;
    this.log.error(problem);
    this.set('failed');
    if (this.shown === problem) {
      return;
    }
    this.shown = problem;
    void vscode.window.showErrorMessage(`Tandem: ${problem}.`, ...actions).then((action) => {
      switch (action) {
        case RESTART:
          return this.restart();
        case SHOW_LOG:
          return this.log.show();
        case CHOOSE:
          return this.choose();
        case HOW_TO:
          return vscode.commands.executeCommand('tandem.openWalkthrough');
      }
      return undefined;
    });
  }

  private set(condition: Condition): void {
    if (this.current !== condition) {
      this.current = condition;
      void vscode.commands.executeCommand('setContext', 'tandem.running', condition === 'running');
      this.changed.fire(condition);
    }
  }

  private configurationChanged(event: vscode.ConfigurationChangeEvent): void {
    const affects = (name: string) => event.affectsConfiguration(`tandem.${name}`);
    if (affects('path') || affects('environment') || affects('enabled')) {
      void this.restart();
    } else if (event.affectsConfiguration('tandem')) {
      void this.client?.sendNotification('workspace/didChangeConfiguration', {
        settings: { tandem: serverSettings(settings()) },
      });
    }
  }
}

/** What the server says on standard error, by the level that it gives itself; all that was asked for is shown. */
function writeDown(input: NodeJS.ReadableStream, log: vscode.LogOutputChannel): void {
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

/** Ends a client in whatever state it is; one that did not start has nothing to stop. */
async function end(client: LanguageClient | undefined): Promise<void> {
  try {
    await client?.dispose(2000);
  } catch {
    // It is gone, which is what was wanted.
  }
}
