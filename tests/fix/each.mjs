// tsc or eslint on many programs in one process, each as its own command line has it.
//
//   node each.mjs PACKAGE ARGUMENT... -- FOLDER...     PACKAGE is the folder of typescript or eslint
//
// Below a line `=== name` stands what is said of the program in the folder of that name.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [tool, ...rest] = process.argv.slice(2);
const end = rest.indexOf('--');
const [given, folders] = [rest.slice(0, end), rest.slice(end + 1)];
const load = createRequire(path.join(tool, 'package.json'));

class Ended extends Error {}

/** All files of a folder, in the order of their names. */
function tsc(folder) {
  const ts = load(tool);
  let said = '';
  const system = {
    ...ts.sys,
    write: (text) => {
      said += text;
    },
    getCurrentDirectory: () => folder,
    exit: () => {
      throw new Ended();
    },
  };
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.ts'));
  try {
    ts.executeCommandLine(system, () => {}, [...given, ...files.sort()]);
  } catch (error) {
    if (!(error instanceof Ended)) {
      throw error;
    }
  }
  return said;
}

/** `case.js` of a folder; the argument is the format. */
async function eslint(folder) {
  const { ESLint } = load(tool);
  const engine = new ESLint({ cwd: folder });
  const results = await engine.lintFiles(['case.js']);
  return (await engine.loadFormatter(given[0])).format(results);
}

const check = path.basename(tool) === 'eslint' ? eslint : tsc;
for (const folder of folders) {
  process.chdir(folder);
  process.stdout.write(`=== ${path.basename(folder)}\n${(await check(folder)).trimEnd()}\n`);
}
