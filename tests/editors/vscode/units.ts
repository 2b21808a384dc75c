// The extension's plain functions: data in, text out.

import assert from 'node:assert/strict';
import os from 'node:os';
import { svgBlock } from '../../../editors/vscode/src/svgBlock.ts';
import { configurationPath } from '../../../editors/vscode/src/configuration.ts';
import { history, remember } from '../../../editors/vscode/src/history.ts';
import { hunkOf } from '../../../editors/vscode/src/diff.ts';
import { isOlder, parseVersion } from '../../../editors/vscode/src/program.ts';
import type { Status } from '../../../editors/vscode/src/protocol.ts';
import { applyReplacements } from '../../../editors/vscode/src/replacements.ts';
import { Restarts } from '../../../editors/vscode/src/restarts.ts';
import { serverSettings } from '../../../editors/vscode/src/settings.ts';
import { PartialAccept } from '../../../editors/vscode/src/partialAccept.ts';
import { statusBarItem, formatDollars, shorten, usageText, tooltip } from '../../../editors/vscode/src/statusText.ts';
import { finish, test } from './check.ts';

await test('versions are read and compared', () => {
  assert.deepEqual(parseVersion('tandem 0.1.0'), [0, 1, 0]);
  assert.deepEqual(parseVersion('tandem 1.12.3 (abc 2026-01-01)'), [1, 12, 3]);
  assert.equal(parseVersion('GNU bash, version 5.2'), undefined);
  assert.equal(parseVersion(''), undefined);
  assert.equal(isOlder([0, 1, 0], [0, 1, 0]), false);
  assert.equal(isOlder([0, 9, 9], [0, 10, 0]), true);
  assert.equal(isOlder([1, 0, 0], [0, 10, 0]), false);
});

await test('only what the user has set is sent, over `configuration`', () => {
  const set: Record<string, unknown> = { eagerness: 'low', 'nextEdit.enabled': false };
  const source = {
    get: <T>(name: string) => (name === 'configuration' ? { max_file_bytes: 5, eagerness: 'high' } : set[name]) as T,
    inspect: <T>(name: string) => (name in set ? { globalValue: set[name] as T } : {}),
  };
  assert.deepEqual(serverSettings(source), { max_file_bytes: 5, eagerness: 'low', next_edit: false });
});

await test('a few restarts in a few minutes are allowed', () => {
  const restarts = new Restarts();
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => restarts.allow(at)),
    [true, true, true, false],
  );
  assert.equal(restarts.allow(3 * 60_000), true);
  restarts.reset();
  assert.equal(restarts.allow(3 * 60_000), true);
});

/** Follows changes, each as `offset: text`, and says what became of the suggestion `height;` at offset 10. */
function follow(...changes: [number, string, boolean?][]): string[] {
  const suggestion = PartialAccept.create(1, 'height;', '', 10)!;
  return changes.map(([rangeOffset, text, isPart]) => {
    const outcome = suggestion.update([{ rangeOffset, rangeLength: 0, text }], isPart ?? false);
    return `${outcome} ${suggestion.accepted}`;
  });
}

await test('typed through is not accepted; several letters at once are, and one by our command', () => {
  assert.deepEqual(follow([10, 'h'], [11, 'e']), ['typed 1', 'typed 2']);
  assert.deepEqual(follow([10, 'height']), ['part 6']);
  assert.deepEqual(follow([10, 'h'], [11, 'eight'], [16, ';']), ['typed 1', 'part 6', 'over 7']);
  assert.deepEqual(follow([10, 'h', true]), ['part 1']);
  assert.deepEqual(follow([10, 'x']), ['over 0']);
  assert.deepEqual(follow([9, 'h']), ['over 0']);
});

await test('a suggestion that replaces is followed where it goes on with what is there', () => {
  assert.equal(PartialAccept.create(1, 'self.width', 'this', 0), undefined);
  const suggestion = PartialAccept.create(1, 'self.🙂\nwidth', 'self', 4)!;
  assert.equal(suggestion.isAt(8), true);
  assert.equal(suggestion.update([{ rangeOffset: 8, rangeLength: 0, text: '.' }], false), 'typed');
  // One character of two units, typed.
  assert.equal(suggestion.update([{ rangeOffset: 9, rangeLength: 0, text: '🙂' }], false), 'typed');
  // In a file with CRLF.
  assert.equal(suggestion.update([{ rangeOffset: 11, rangeLength: 0, text: '\r\n' }], true), 'part');
  assert.equal(suggestion.accepted, 8);
  assert.equal(suggestion.isAt(13), true);
});

/** What is drawn for a change of `old`, which begins at line 2, column 4. */
function drawn(old: string, text: string): string {
  const found = hunkOf(old, text, { line: 2, character: 4 });
  if (!found) {
    return 'nothing';
  }
  const pieces = found.pieces.map((piece) =>
    piece.kind === 'delete'
      ? `${piece.line}:${piece.from}-${piece.to} goes`
      : piece.kind === 'insert'
        ? `${piece.line}:${piece.at} +${JSON.stringify(piece.text)}`
        : `below ${piece.after} +${JSON.stringify(piece.text)}`,
  );
  return `${found.at.line}:${found.at.character} to line ${found.lastLine}; ${pieces.join(', ')}`;
}

await test('of a change in a line, the words that differ are drawn', () => {
  assert.equal(drawn('same', 'same'), 'nothing');
  assert.equal(drawn('f(a)', 'f(a, b)'), '2:7 to line 2; 2:7 +", b"');
  assert.equal(drawn('f(a, b)', 'f(a)'), '2:7 to line 2; 2:7-10 goes');
  assert.equal(drawn('self.width', 'self.breadth'), '2:9 to line 2; 2:9-14 goes, 2:14 +"breadth"');
  assert.equal(drawn('foo()', 'foo_bar()'), '2:7 to line 2; 2:7 +"_bar"');
  assert.equal(drawn('"🙂"', '"🙃"'), '2:5 to line 2; 2:5-7 goes, 2:7 +"🙃"');
});

await test('of a change of the same lines, each is drawn in its place', () => {
  assert.equal(drawn('a = 1;\nb = 1;', 'a = 2;\nb = 2;'), '2:8 to line 3; 2:8-9 goes, 2:9 +"2", 3:4-5 goes, 3:5 +"2"');
});

await test('lines that come are drawn below, lines that go are struck out', () => {
  assert.equal(drawn('a', 'a\nb\nc'), '2:0 to line 2; below 2 +["b","c"]');
  assert.equal(drawn('f(', 'f(a,\n  b)'), '2:6 to line 2; 2:6 +"a,", below 2 +["  b)"]');
  assert.equal(drawn('a\nb\nc', 'a\nc'), '3:0 to line 3; 3:0-1 goes');
  assert.equal(drawn('a\nb\nc', 'a\nx\ny\nc'), '3:0 to line 3; 3:0-1 goes, below 3 +["x","y"]');
  assert.equal(drawn('', 'a\nb\n'), '2:4 to line 2; 2:4 +"a", below 2 +["b",""]');
});

await test('a picture of lines has their text, without the indentation that all have, and no markup of theirs', () => {
  const svg = svgBlock(
    { lines: ['\tif a < b {', '\t\tx', '\t}'], tabSize: 4, fontFamily: 'Fira "Code"', fontSize: 14, lineHeight: 20 },
    true,
  );
  const texts = [...svg.matchAll(/<text[^>]*>([\s\S]*?)<\/text>/g)].map((match) => match[1]);
  assert.deepEqual(texts, ['if a &lt; b {', '    x', '}']);
  assert.match(svg, /height="62"/);
  assert.match(svg, /font-family="Fira &quot;Code&quot;"/);
});

await test('replacements mean the text as it was', () => {
  const replacements = [
    { from: 4, to: 5, text: 'Z' },
    { from: 0, to: 1, text: 'A' },
    { from: 2, to: 2, text: '1' },
    { from: 2, to: 2, text: '2' },
  ];
  assert.equal(applyReplacements('abcdef', replacements), 'Ab12cdZf');
});

await test('instructions are remembered once, newest first', () => {
  assert.deepEqual(remember(['b', 'a'], 'a'), ['a', 'b']);
  assert.deepEqual(history('nonsense'), []);
  assert.deepEqual(history([1, 'a']), ['a']);
  assert.equal(
    remember(
      Array.from({ length: 40 }, (_, index) => `${index}`),
      'new',
    ).length,
    30,
  );
});

await test('the configuration file is where the server looks', () => {
  assert.equal(configurationPath({ TANDEM_CONFIG: '/a/b.toml', XDG_CONFIG_HOME: '/c' }), '/a/b.toml');
  assert.equal(configurationPath({ XDG_CONFIG_HOME: '/c' }), '/c/tandem/config.toml');
  assert.equal(configurationPath({}), `${os.homedir()}/.config/tandem/config.toml`);
});

const now = new Date(2026, 10, 21, 12, 0);
const usage = {
  requests: 1200,
  inputTokens: 1_000_000,
  cachedTokens: 0,
  outputTokens: 5000,
  dollars: 0.1234,
  unpriced: 2,
};
const ready: Status = {
  state: 'ready',
  text: 'fast: swift-coder-2',
  gears: {
    fast: { state: 'ready', provider: 'test', served: 'swift-coder-2', firstTokenMs: 41.3 },
    deep: { state: 'off' },
  },
  usage: { day: usage },
};

await test('the status bar says who serves, and what is wrong', () => {
  const text = (more: Partial<Status>) => {
    const shown = statusBarItem({ ...ready, ...more }, now);
    return [shown.text, shown.color].filter(Boolean).join(' | ');
  };
  assert.equal(text({}), '$(zap) swift-coder-2  $0.12');
  assert.equal(text({ usage: {} }), '$(zap) swift-coder-2');
  assert.equal(text({ state: 'local' }), '$(zap) local');
  assert.equal(text({ state: 'local', available: true }), '$(sparkle) local');
  assert.equal(text({ state: 'degraded' }), '$(warning) swift-coder-2  $0.12 | warning');
  assert.equal(text({ state: 'offline' }), '$(debug-disconnect) offline | warning');
  assert.equal(text({ state: 'capped' }), '$(circle-slash) budget reached  $0.12 | warning');
  assert.equal(
    text({ state: 'snoozed', snoozedUntil: new Date(2026, 10, 21, 12, 5).getTime() }),
    '$(bell-slash) Tandem until 12:05',
  );
  assert.equal(
    text({ state: 'snoozed', snoozedUntil: new Date(2026, 10, 22, 12, 5).getTime() }),
    '$(bell-slash) Tandem until tomorrow',
  );
  assert.equal(shorten('accounts/fireworks/models/qwen3-coder-480b'), 'accounts/fir…3-coder-480b');
  assert.equal(usageText({ ...usage, requests: 2 }), '2 requests, 1,005,000 tokens, price not known');
  assert.deepEqual([formatDollars(0), formatDollars(0.004), formatDollars(12.3)], ['$0.00', '<$0.01', '$12.30']);
});

await test('the tooltip is a table, and what others wrote does not become Markdown', () => {
  const text = tooltip(
    { ...ready, text: 'a | [b](c)', file: { uri: 'file:///a', state: 'secret', why: 'it is `.env`' } },
    '/bin/tandem',
    now,
  );
  assert.equal(
    text,
    [
      '**Tandem**: a \\| \\[b\\]\\(c\\)',
      '',
      '| | |',
      '|:--|:--|',
      '| fast&nbsp; | ready, swift\\-coder\\-2 \\(test\\), first token 41 ms |',
      '| deep&nbsp; | off |',
      '| today&nbsp; | \\$0.12, 1,200 requests, 1,005,000 tokens, 2 without a known price |',
      '| this file&nbsp; | secret: it is \\`.env\\` |',
      '',
      '',
      '/bin/tandem',
    ].join('\n'),
  );
});

finish();
