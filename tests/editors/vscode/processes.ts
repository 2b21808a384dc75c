// What runs behind the page: VS Code's server, the simulator, and the program `tandem` with an ear on its input.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export const TANDEM = required('TANDEM');
const WORKBENCH = required('WORKBENCH');
/** The Node.js that this version of VS Code wants. */
const WORKBENCH_NODE = required('WORKBENCH_NODE');

function required(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} must be set; start these tests with \`run\``);
  }
  return value;
}

const children = new Set<ChildProcess>();

/** Ends all that was started here. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map(end));
}

export async function end(child: ChildProcess): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}

/** Starts a program, and waits until its output holds `pattern`, whose first group is the answer. */
async function start(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  pattern: RegExp,
): Promise<[ChildProcess, string]> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let said = '';
  const found = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${path.basename(command)} is not ready:\n${said}`)), 30_000);
    const read = (data: Buffer) => {
      said += data.toString();
      const match = pattern.exec(said);
      if (match?.[1]) {
        clearTimeout(timer);
        resolve(match[1]);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${path.basename(command)} ended with ${code}:\n${said}`));
    });
  });
  return [child, found];
}

/** A model's server on this machine; `record` gets every request. */
export async function simulate(args: string[], record: string): Promise<{ url: string; process: ChildProcess }> {
  const [process_, url] = await start(
    TANDEM,
    ['simulate', '--model', 'swift-coder-2', '--record', record, ...args],
    process.env,
    /listening on (\S+)\n/,
  );
  return { url, process: process_ };
}

/** VS Code's server with extensions in it, all its state below `state`. */
export class Vscode {
  readonly state: string;
  readonly port: string;

  private constructor(state: string, port: string) {
    this.state = state;
    this.port = port;
  }

  static async start(state: string, extensions: string[], env: NodeJS.ProcessEnv): Promise<Vscode> {
    const folder = (name: string) => path.join(state, name);
    for (const name of ['home', 'user/User', 'user/Machine', 'ext', 'srv']) {
      fs.mkdirSync(folder(name), { recursive: true });
    }
    const server = path.join(WORKBENCH, 'out/server-main.js');
    const common = [server, '--accept-server-license-terms', '--telemetry-level', 'off'];
    common.push(
      '--user-data-dir',
      folder('user'),
      '--extensions-dir',
      folder('ext'),
      '--server-data-dir',
      folder('srv'),
    );
    const all = { ...process.env, HOME: folder('home'), ...env };
    for (const extension of extensions) {
      execFileSync(WORKBENCH_NODE, [...common, '--install-extension', extension], { env: all, stdio: 'pipe' });
    }
    const listen = ['--host', '127.0.0.1', '--port', '0', '--without-connection-token'];
    const [, port] = await start(
      WORKBENCH_NODE,
      [...common, ...listen],
      all,
      /Server bound to 127\.0\.0\.1:(\d+)[\s\S]*Extension host agent started/,
    );
    return new Vscode(state, port);
  }

  /** The newest log file of this name. */
  log(name: string): string {
    const files = fs
      .readdirSync(this.state, { recursive: true, encoding: 'utf8' })
      .filter((file) => path.basename(file) === name)
      .map((file) => path.join(this.state, file))
      .sort((a, b) => fs.statSync(a).mtimeMs - fs.statSync(b).mtimeMs);
    return files.length > 0 ? read(files.at(-1)!) : '';
  }

  /** Writes the user's settings, as of a person who uses this machine alone. */
  configure(settings: Record<string, unknown>): void {
    const all = {
      'telemetry.telemetryLevel': 'off',
      'update.mode': 'none',
      'extensions.autoUpdate': 'off',
      'extensions.autoCheckUpdates': false,
      'workbench.startupEditor': 'none',
      'workbench.enableExperiments': false,
      'workbench.tips.enabled': false,
      'security.workspace.trust.enabled': false,
      'chat.disableAIFeatures': true,
      'editor.minimap.enabled': false,
      'files.autoSave': 'off',
      'window.menuBarVisibility': 'hidden',
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      'editor.fontFamily': 'DejaVu Sans Mono',
      ...settings,
    };
    for (const scope of ['User', 'Machine']) {
      fs.writeFileSync(path.join(this.state, 'user', scope, 'settings.json'), JSON.stringify(all));
    }
  }
}

/** The program, with what it is sent written down. */
export class Program {
  readonly path: string;
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    this.path = path.join(folder, 'tandem');
    fs.mkdirSync(folder, { recursive: true });
    // The process that the editor starts becomes the server, so that killing one kills the other.
    this.is(`
if [ "$1" != lsp ]; then exec ${TANDEM} "$@"; fi
echo $$ >>${folder}/pids
while [ -e ${folder}/held ]; do sleep 0.05; done
exec ${TANDEM} "$@" < <(exec tee -a ${folder}/input)`);
  }

  /** Has a server that is started wait, or lets it begin. */
  hold(isHeld: boolean): void {
    const mark = path.join(this.folder, 'held');
    if (isHeld) {
      fs.writeFileSync(mark, '');
    } else {
      fs.rmSync(mark);
    }
  }

  /** Replaces it by something else, in the shell's language. */
  is(script: string): void {
    fs.writeFileSync(`${this.path}.new`, `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 });
    // In one step: an older one may just be starting.
    fs.renameSync(`${this.path}.new`, this.path);
  }

  /** The processes that were started as servers, the newest last. */
  pids(): number[] {
    return read(path.join(this.folder, 'pids')).split('\n').filter(Boolean).map(Number);
  }

  /** What the editor sent, oldest first: requests, notifications and answers. */
  heard(): Message[] {
    const bytes = fs.existsSync(path.join(this.folder, 'input'))
      ? fs.readFileSync(path.join(this.folder, 'input'))
      : Buffer.alloc(0);
    const messages: Message[] = [];
    let at = 0;
    for (;;) {
      const head = bytes.indexOf('\r\n\r\n', at);
      const length = head < 0 ? undefined : /Content-Length: (\d+)/.exec(bytes.toString('latin1', at, head))?.[1];
      if (!length || bytes.length < head + 4 + Number(length)) {
        return messages;
      }
      at = head + 4 + Number(length);
      messages.push(JSON.parse(bytes.toString('utf8', head + 4, at)) as Message);
    }
  }

  /** The parameters of all messages of one method. */
  params(method: string): any[] {
    return this.heard().flatMap((message) => (message.method === method ? [message.params] : []));
  }

  /** The arguments of all uses of one of the server's commands. */
  commands(command: string): any[] {
    return this.params('workspace/executeCommand').flatMap((it) => (it.command === command ? [it.arguments] : []));
  }
}

interface Message {
  method?: string;
  params?: any;
}

export function read(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
