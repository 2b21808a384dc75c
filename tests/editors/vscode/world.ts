// A workbench with the extension, a workspace and a model's server: what the scenes act in.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually, test } from './check.ts';
import { browser, Editor } from './editor.ts';
import { endAll, Program, read, simulate, Vscode } from './processes.ts';

const artefacts = process.env.ARTEFACTS!;
const extensions = [process.env.VSIX!, process.env.COMPILER!, process.env.OTHER!];
export const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-vscode-'));
export const config = path.join(scratch, 'tandem.toml');

export const SHAPE = 'fn new(width: u32, height: u32) {\n    self.宽 = "🙂";\n    self.width = width;\n    \n}\n';

/** The shape with more on its empty line. */
export const with_ = (line: string) => SHAPE.replace('    \n', `    ${line}\n`);

/**
 * The editor's own list of words, which it opens while one types, when the machine has the time for it. It covers ghost
 * text that does not go on with its entry, so it is on only in the scenes that are about it.
 */
const WITHOUT_LIST = { 'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' } };
export const WITH_LIST = { 'editor.quickSuggestions': { other: 'on', comments: 'off', strings: 'off' } };

let count = 0;
export let vscode: Vscode;
const chromium = await browser(path.join(scratch, 'chromium'));

export interface Options {
  /** The files of the workspace; the first is opened. */
  files: Record<string, string>;
  /** Whether the files are staged in a repository. */
  isStaged?: boolean;
  /** The simulator's arguments, or false for no model. */
  simulator?: string[] | false;
  /** The simulator's script. */
  script?: object[];
  /** More lines for its provider in the configuration. */
  provider?: string;
  /** Whether the server waits until `program.hold(false)`. */
  isHeld?: boolean;
  /** The user's settings. */
  settings?: Record<string, unknown>;
}

export interface World {
  editor: Editor;
  program: Program;
  /** How many times a model was asked. */
  asked: () => number;
}

/** What the scene that runs now has, for a word about a failure. */
let world: World | undefined;

export async function open(options: Options): Promise<World> {
  count += 1;
  const folder = path.join(scratch, `project-${count}`);
  for (const [name, text] of Object.entries(options.files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  if (options.isStaged) {
    execFileSync('git', ['init', '--quiet', folder]);
    execFileSync('git', ['-C', folder, 'add', '.']);
  }
  const frames = path.join(scratch, `frames-${count}`);
  let text = '';
  if (options.simulator !== false) {
    const args = options.simulator ?? [];
    if (options.script) {
      const script = path.join(scratch, `script-${count}`);
      fs.writeFileSync(script, options.script.map((line) => JSON.stringify(line)).join('\n'));
      args.push('--script', script);
    }
    const { url } = await simulate(args, frames);
    text = `[providers.test]\nbase_url = "${url}"\nwire = "responses-websocket"\n${options.provider ?? ''}\n[fast]\ncandidates = [{ provider = "test", model = "swift-coder-2" }]\n`;
  }
  fs.writeFileSync(config, text);
  const program = new Program(path.join(scratch, `program-${count}`));
  if (options.isHeld) {
    program.hold(true);
  }
  vscode.configure({ 'tandem.path': program.path, ...WITHOUT_LIST, ...options.settings });
  const first = Object.keys(options.files)[0]!;
  const editor = await Editor.open(chromium, vscode.port, folder, first, artefacts);
  world = { editor, program, asked: () => read(frames).split('\n').length - 1 };
  return world;
}

/** What does not depend on the editor's version. */
export async function scene(name: string, body: () => Promise<void>): Promise<void> {
  if (!process.env.OLDEST) {
    await everywhere(name, body);
  }
}

/** What may be different in another version of the editor. */
export async function everywhere(name: string, body: () => Promise<void>): Promise<void> {
  const onFailure = async () => {
    if (!world) {
      return 'nothing was open';
    }
    await world.editor.shot(`failed-${count}`);
    const heard = world.program
      .heard()
      .slice(-15)
      .map((message) => JSON.stringify(message).slice(0, 400));
    return [
      `status: ${await world.editor.status()}`,
      `said: ${JSON.stringify(await world.editor.said())}`,
      `picture: failed-${count}.png`,
      ...vscode.log('Tandem.log').split('\n').slice(-15),
      ...heard,
    ].join('\n');
  };
  await test(name, body, { onFailure, attempts: 2 });
}

export async function running(program: Program): Promise<void> {
  await eventually('a server that knows the file', () => program.params('textDocument/didOpen').length > 0, true);
}

export async function withGhost(options: Partial<Options> = {}): Promise<World> {
  const it = await open({ files: { 'shape.rs': SHAPE }, ...options });
  await running(it.program);
  await it.editor.go(4, 5);
  await it.editor.type('self.height = ');
  await eventually('ghost text', () => it.editor.ghost(), 'height;');
  return it;
}

export const WRONG = 'fn area(width: u32, height: u32) -> u32 {\n    width * heigth\n}\n';
export const AREA = 'fn area(width: u32) -> u32 {\n    let half = width / 2;\n    // whole\n    half * width\n}\n';

/** A parameter renamed where it is declared, and the first use of it drawn as the next edit. */
export async function renamed(options: Partial<Options> = { simulator: false }): Promise<World> {
  const it = await open({ files: { 'area.rs': AREA }, ...options });
  await running(it.program);
  await it.editor.go(1, 9);
  await it.editor.press('Control+Shift+ArrowRight');
  // At once: half a name would be a rename, too.
  await it.editor.page.keyboard.insertText('breadth');
  await eventually('the next edit', () => it.editor.decorations(), ['breadth', 'Tab: ↓ line 2']);
  return it;
}

/** Starts VS Code. */
export async function begin(): Promise<void> {
  vscode = await Vscode.start(path.join(scratch, 'state'), extensions, {
    TANDEM_CONFIG: config,
    TANDEM_LOG: 'tandem=debug',
    // None of the machine's own programs is to be found.
    PATH: '/usr/bin:/bin',
    CARGO_HOME: path.join(scratch, 'cargo'),
  });
}

/** Ends all that was started here. */
export async function end(): Promise<void> {
  await chromium.close();
  await endAll();
  fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
