// Formats Lua, or says which files are not formatted: `node lua.mjs [--write] FILE…`.

import { readFileSync, writeFileSync } from 'node:fs';
import { Config, formatCode, IndentType, LuaVersion, OutputVerification, QuoteStyle } from '@johnnymorganz/stylua';

const write = process.argv[2] === '--write';
const files = process.argv.slice(write ? 3 : 2);

/** The formatter takes ownership of its settings, so each file needs new ones. */
function settings() {
  const config = Config.new();
  config.column_width = 120;
  config.indent_type = IndentType.Spaces;
  config.indent_width = 2;
  config.quote_style = QuoteStyle.AutoPreferSingle;
  config.syntax = LuaVersion.LuaJIT;
  return config;
}

let unformatted = 0;
for (const file of files) {
  const old = readFileSync(file, 'utf8');
  const text = formatCode(old, settings(), undefined, OutputVerification.Full);
  if (text === old) continue;
  unformatted += 1;
  if (write) writeFileSync(file, text);
  else console.log(`${file} is not formatted; \`tests/style/run --write\` formats it`);
}
process.exitCode = unformatted > 0 && !write ? 1 : 0;
