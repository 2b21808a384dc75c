// tsc on a project in which one file is another, many times in one process.
//
//   node mutants.mjs TYPESCRIPT ROOT FOLDER:FILE...     FILE of FOLDER stands in the place of ROOT's
//
// Below a line `=== FOLDER` stands what is said of that file.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [tool, root, ...programs] = process.argv.slice(2);
const ts = createRequire(path.join(tool, 'package.json'))(tool);
const options = {
  noEmit: true, strict: true, noUnusedLocals: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [],
};
const sources = new Map();
let old;
for (const program of programs) {
  const at = program.lastIndexOf(':');
  const [folder, file] = [program.slice(0, at), program.slice(at + 1)];
  const mutated = path.join(root, file);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...rest) => {
    if (path.resolve(name) === mutated) {
      return ts.createSourceFile(name, fs.readFileSync(path.join(folder, file), 'utf8'), rest[0]);
    }
    if (!sources.has(name)) {
      sources.set(name, read(name, ...rest));
    }
    return sources.get(name);
  };
  const built = ts.createProgram([mutated], options, host, old);
  old = built;
  const source = built.getSourceFile(mutated);
  const found = [...built.getSyntacticDiagnostics(source), ...built.getSemanticDiagnostics(source)];
  console.log(`=== ${folder}`);
  const format = { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stdout.write(ts.formatDiagnostics(found, format));
}
