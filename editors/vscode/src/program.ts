// Finds the program `tandem`, and makes sure that it is one that this extension can work with.

import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';

/** The oldest server that has all that this extension asks of it. */
export const OLDEST: Version = [0, 1, 0];

export type Version = readonly [number, number, number];

export interface Program {
  readonly path: string;
  readonly version: string;
}

/** Why there is no program to run. `message` is one sentence for people, with what to do about it. */
export class NoProgram extends Error {
  readonly kind: 'absent' | 'setting' | 'unusable';

  constructor(kind: NoProgram['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * The program to run: the one that `tandem.path` names, else the first on PATH, else Cargo's.
 *
 * @param setting `tandem.path`: absolute, or beginning with `~`, or empty.
 * @throws {NoProgram}
 */
export async function find(setting: string): Promise<Program> {
  const named = setting.trim();
  if (named !== '') {
    const program = expandHome(named);
    if (!path.isAbsolute(program)) {
      throw new NoProgram('setting', `the setting \`tandem.path\` must be an absolute path, and is \`${named}\``);
    }
    if (!(await isExecutable(program))) {
      throw new NoProgram('setting', `the setting \`tandem.path\` names ${program}, which cannot be run`);
    }
    return check(program);
  }
  for (const program of candidates()) {
    if (await isExecutable(program)) {
      return check(program);
    }
  }
  throw new NoProgram(
    'absent',
    'the program `tandem` is neither on PATH nor in ~/.cargo/bin; install it, or choose where it is',
  );
}

/** Where to look, in this order. Relative entries of PATH would run what a project brings along. */
function candidates(): string[] {
  const name = process.platform === 'win32' ? 'tandem.exe' : 'tandem';
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  folders.push(path.join(process.env.CARGO_HOME || path.join(os.homedir(), '.cargo'), 'bin'));
  return folders.map((folder) => path.join(folder, name));
}

function expandHome(name: string): string {
  return /^~(?=$|[\\/])/.test(name) ? os.homedir() + name.slice(1) : name;
}

async function isExecutable(program: string): Promise<boolean> {
  try {
    await access(program, constants.X_OK);
    return (await stat(program)).isFile();
  } catch {
    return false;
  }
}

async function check(program: string): Promise<Program> {
  const said = await new Promise<string>((resolve, reject) => {
    execFile(program, ['--version'], { timeout: 10_000, windowsHide: true }, (error, stdout) => {
      if (error) {
        const why = error.killed ? 'it does not answer `--version`' : error.message.trim().split('\n')[0];
        reject(new NoProgram('unusable', `${program} cannot be run: ${why}`));
      } else {
        resolve(stdout.trim());
      }
    });
  });
  const version = parseVersion(said);
  if (!version) {
    throw new NoProgram('unusable', `${program} is not Tandem: its \`--version\` says \`${said.slice(0, 60)}\``);
  }
  const text = version.join('.');
  if (isOlder(version, OLDEST)) {
    throw new NoProgram(
      'unusable',
      `${program} is version ${text}, and this extension needs ${OLDEST.join('.')} or newer; update it`,
    );
  }
  return { path: program, version: text };
}

/** The version in the answer to `tandem --version`, which is `tandem 0.1.0` and may go on. */
export function parseVersion(said: string): Version | undefined {
  const match = /^tandem (\d+)\.(\d+)\.(\d+)\b/.exec(said);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

export function isOlder(version: Version, than: Version): boolean {
  const at = version.findIndex((number, index) => number !== than[index]);
  return at !== -1 && version[at]! < than[at]!;
}
