// Finds the program `tandem` and checks its version.

import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';

/** The oldest server that this extension supports. */
export const MINIMUM_VERSION: Version = [0, 1, 0];

export type Version = readonly [number, number, number];

export interface Program {
  readonly path: string;
  readonly version: string;
}

/** Why no program can be run. `message` is one sentence for the user, with the remedy. */
export class ProgramError extends Error {
  readonly kind: 'absent' | 'setting' | 'unusable';

  constructor(kind: ProgramError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * The program to run: that of `tandem.path`, else the one in the extension's package, else the first on PATH, else
 * Cargo's, else that of `~/.local`, where a release's archive may be unpacked.
 *
 * @param setting `tandem.path`: an absolute path, one that starts with `~`, or empty.
 * @param extension The extension's folder; packages for single platforms have the program in its folder `bin`.
 * @throws {ProgramError}
 */
export async function findProgram(setting: string, extension: string): Promise<Program> {
  const configured = setting.trim();
  if (configured !== '') {
    const program = expandHome(configured);
    if (!path.isAbsolute(program)) {
      throw new ProgramError('setting', `the setting \`tandem.path\` must be an absolute path, not \`${configured}\``);
    }
    if (!(await isExecutable(program))) {
      throw new ProgramError('setting', `the setting \`tandem.path\` names ${program}, which cannot be run`);
    }
    return check(program);
  }
  for (const program of candidates(extension)) {
    if (await isExecutable(program)) {
      return check(program);
    }
  }
  throw new ProgramError(
    'absent',
    'the program `tandem` is neither on PATH nor in ~/.cargo/bin or ~/.local/bin; install it, or choose the file',
  );
}

/** Paths to try, in order. Relative entries of PATH are skipped: they could run a program of the project. */
function candidates(extension: string): string[] {
  const name = process.platform === 'win32' ? 'tandem.exe' : 'tandem';
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const home = os.homedir();
  folders.push(path.join(process.env.CARGO_HOME || path.join(home, '.cargo'), 'bin'), path.join(home, '.local', 'bin'));
  return [path.join(extension, 'bin'), ...folders].map((folder) => path.join(folder, name));
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
  const output = await new Promise<string>((resolve, reject) => {
    execFile(program, ['--version'], { timeout: 10_000, windowsHide: true }, (error, stdout) => {
      if (error) {
        const why = error.killed ? 'it does not answer `--version`' : error.message.trim().split('\n')[0];
        reject(new ProgramError('unusable', `${program} cannot be run: ${why}`));
      } else {
        resolve(stdout.trim());
      }
    });
  });
  const version = parseVersion(output);
  if (!version) {
    throw new ProgramError('unusable', `${program} is not Tandem: its \`--version\` prints \`${output.slice(0, 60)}\``);
  }
  const text = version.join('.');
  if (isOlder(version, MINIMUM_VERSION)) {
    throw new ProgramError(
      'unusable',
      `${program} is version ${text}, but this extension needs ${MINIMUM_VERSION.join('.')} or newer; update it`,
    );
  }
  return { path: program, version: text };
}

/** Parses the output of `tandem --version`: `tandem 0.1.0`, possibly followed by more. */
export function parseVersion(output: string): Version | undefined {
  const match = /^tandem (\d+)\.(\d+)\.(\d+)\b/.exec(output);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

export function isOlder(version: Version, than: Version): boolean {
  const at = version.findIndex((number, index) => number !== than[index]);
  return at !== -1 && version[at]! < than[at]!;
}
