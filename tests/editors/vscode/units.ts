// The extension's plain functions: data in, text out.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import { svgBlock } from '../../../editors/vscode/src/svgBlock.ts';
import { configurationPath, recordingFolder } from '../../../editors/vscode/src/configuration.ts';
import { history, remember } from '../../../editors/vscode/src/history.ts';
import { hunkOf, type Piece, wholeLines } from '../../../editors/vscode/src/diff.ts';
import { hintPlace } from '../../../editors/vscode/src/hintPlace.ts';
import { isOlder, parseVersion } from '../../../editors/vscode/src/program.ts';
import type { Status } from '../../../editors/vscode/src/protocol.ts';
import { editOf, files, isOutdated, textEdits } from '../../../editors/vscode/src/changeSet.ts';
import { applyReplacements } from '../../../editors/vscode/src/replacements.ts';
import { remedies, sentence } from '../../../editors/vscode/src/remedies.ts';
import { Restarts } from '../../../editors/vscode/src/restarts.ts';
import { rewriteTitle } from '../../../editors/vscode/src/rewriteTitle.ts';
import { savedText } from '../../../editors/vscode/src/savedText.ts';
import { serverSettings, withLanguage } from '../../../editors/vscode/src/settings.ts';
import {
  keyLineText,
  keyPrompt,
  nameOf,
  noListText,
  type Outcome,
  outcomeText,
  type Provider,
  problemText,
  providerRow,
} from '../../../editors/vscode/src/setupText.ts';
import { fixText } from '../../../editors/vscode/src/fixText.ts';
import { withShown } from '../../../editors/vscode/src/leftWithShown.ts';
import { PartialAccept } from '../../../editors/vscode/src/partialAccept.ts';
import {
  candidateFacts,
  fileLine,
  statusBarItem,
  formatDollars,
  shorten,
  gearLine,
  usageText,
  tooltip,
} from '../../../editors/vscode/src/statusText.ts';
import { Snippet } from '../../../editors/vscode/src/snippet.ts';
import { type Screen, tabAction } from '../../../editors/vscode/src/tab.ts';
import { appended, hasPlaces, MOST_CHARS, offsets, shownLines } from '../../../editors/vscode/src/terminalOutput.ts';
import { hindranceRows, whyRows } from '../../../editors/vscode/src/why.ts';
import { finish, test } from './check.ts';

/** The table of `editors/protocol.md`, "What Tab does": its rows of words. */
function tabTable(): string[][] {
  const page = fs.readFileSync(new URL('../../../editors/protocol.md', import.meta.url), 'utf8');
  const section = page.split('## What Tab does')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| `menu`'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, 7)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

await test('model that may be chosen has its speed and price', () => {
  const known = {
    hasTurn: true,
    isPicked: true,
    firstTokenMs: 41,
    tokensPerSecond: 900,
    price: { input: 0.1, output: 2 },
  };
  const base = { provider: 'p', model: 'm', name: 'm', isUsable: true, why: null };
  const price = '$0.10 per million tokens read, $2.00 written';
  assert.equal(
    candidateFacts({ ...base, ...known }),
    `in use, for this session, first token after 41 ms, 900 tokens/s, ${price}`,
  );
  const unknown = { hasTurn: false, isPicked: false, firstTokenMs: null, tokensPerSecond: null, price: null };
  assert.equal(candidateFacts({ ...base, ...unknown }), '');
  assert.equal(candidateFacts({ ...base, ...unknown, price: { input: 0, output: 0 } }), 'free');
});

await test('output of a terminal is what it shows last, and no more than its end', () => {
  assert.equal(shownLines('a.c:1:2: no\r\n  1%\r 50%\rdone\r\n'), 'a.c:1:2: no\ndone\n');
  assert.equal(appended('a', 'b'), 'ab');
  assert.equal(appended('a'.repeat(MOST_CHARS), 'b').length, MOST_CHARS);
  for (const output of ['a.c:3: no', 'a.ts(3,1): error', '  File "a.py", line 3', '{"line":3}']) {
    assert.ok(hasPlaces(output), output);
  }
  assert.ok(!hasPlaces('total 12\n12:30 up 3 days\n'.replace('12:30', 'noon')));
});

await test('edits in bytes have their places in the text, if that is the file', () => {
  const text = 'é = 猫;\nb\n';
  const bytes = Buffer.from(text);
  const at = bytes.indexOf('b');
  assert.deepEqual(offsets(text, bytes, [{ start: at, end: at + 1, text: 'c' }]), [{ start: 7, end: 8, text: 'c' }]);
  assert.equal(offsets(`${text} `, bytes, []), undefined);
});

await test('saved text has the line ends of the editor, no byte order mark, and is UTF-8', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.equal(savedText(bytes('\uFEFFé\r\nb\nc\r'), '\n'), 'é\nb\nc\n');
  assert.equal(savedText(bytes('a\nb\r\n'), '\r\n'), 'a\r\nb\r\n');
  assert.equal(savedText(Uint8Array.of(0xe9, 0x0a), '\n'), undefined);
});

await test('every state of the screen: Tab does what the table says', () => {
  const table = tabTable();
  assert.equal(table.length, 7);
  const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');
  const both = [false, true];
  let states = 0;
  for (const menu of both) {
    for (const snippet of both) {
      for (const ghost of both) {
        for (const edit of ['none', 'far', 'here'] as const) {
          for (const indents of both) {
            const screen: Screen = { menu, snippet, ghost, edit, indents };
            const words = [yesOrNo(menu), yesOrNo(snippet), yesOrNo(ghost), edit, yesOrNo(indents)];
            const row = table.find((cells) => words.every((word, index) => ['any', word].includes(cells[index]!)));
            assert.equal(tabAction(screen), row?.[5], JSON.stringify(screen));
            states += 1;
          }
        }
      }
    }
  }
  assert.equal(states, 48);
});

await test('text inserted at once around the cursor is a snippet until the cursor leaves it', () => {
  const snippet = new Snippet();
  let now = 0;
  const insert = (rangeOffset: number, text: string, ...cursors: number[]) => {
    snippet.change([{ rangeOffset, rangeLength: 0, text }], now);
    for (const cursor of cursors) {
      snippet.select(cursor, cursor, now);
    }
    return snippet.isActive;
  };
  assert.equal(insert(10, 'area()', 15), true, 'inside');
  assert.equal(insert(15, 'w', 16), true, 'typed in a field');
  assert.equal(insert(16, ', h', 19), true, 'a field of several letters');
  snippet.select(20, 20, now);
  assert.equal(snippet.isActive, false, 'at the end');
  assert.equal(insert(10, 'area()', 16, 15), true, 'first at the end, then inside');
  snippet.select(3, 3, now);
  assert.equal(snippet.isActive, false, 'elsewhere');
  assert.equal(insert(10, 'area', 14), false, 'pasted');
  now = 1000;
  snippet.select(12, 12, now);
  assert.equal(snippet.isActive, false, 'pasted, and the cursor moved later');
  assert.equal(insert(10, '()', 11), false, 'brackets that the editor closed');
  assert.equal(insert(10, '\n    \n', 15), false, 'a line end');
  assert.equal(insert(10, 'area()', 15), true);
  snippet.change(
    [
      { rangeOffset: 12, rangeLength: 0, text: 'x' },
      { rangeOffset: 14, rangeLength: 0, text: 'x' },
    ],
    now,
  );
  assert.equal(snippet.isActive, true, 'fields that change together');
});

await test('why rows: one for each key, with what can be done', () => {
  const decision = {
    at: 0,
    uri: 'file:///a.rs',
    line: 3,
    job: 'completion',
    trigger: 'automatic',
    outcome: 'nothing' as const,
    code: 'nothing-to-add',
    why: 'there is nothing to add here',
    gear: null,
    model: null,
    milliseconds: 1.4,
    advice: 'configure-model',
  };
  const rows = whyRows([
    decision,
    { ...decision, job: 'next edit' },
    { ...decision, outcome: 'shown', why: 'the fast gear made it', gear: 'fast', model: 'm', advice: null },
  ]);
  const time = new Date(0).toLocaleTimeString('en-GB');
  assert.deepEqual(rows, [
    {
      label: '$(dash) There is nothing to add here',
      detail: `→ Set up a model: press Enter (line 4, completion and next edit, ${time})`,
      command: 'tandem.setUpModel',
    },
    { label: '$(check) The fast gear made it', detail: `line 4, completion, ${time}, automatic, 1 ms, m` },
  ]);
});

await test('why rows begin with what hinders suggestions now', () => {
  const of = (state: Status['state']) => hindranceRows({ state, text: 'local engine: no fast model answers' });
  assert.deepEqual(of('offline'), [
    {
      label: '$(warning) Local engine: no fast model answers',
      detail: '→ Check the model: press Enter',
      command: 'tandem.doctor',
    },
  ]);
  assert.equal(of('snoozed')[0]?.command, 'tandem.wake');
  assert.equal(of('capped')[0]?.command, 'tandem.openConfiguration');
  assert.deepEqual(of('ready'), []);
  assert.deepEqual(hindranceRows(undefined), []);
});

await test('box for an instruction names what will be rewritten', () => {
  assert.equal(rewriteTitle('a.rs', 10, 12, 'fn first'), 'Rewrite `fn first` (lines 11–13)');
  assert.equal(rewriteTitle('a.rs', 10, 10, null), 'Rewrite line 11 of a.rs');
  assert.equal(rewriteTitle('a.rs', 0, 1), 'Rewrite lines 1–2 of a.rs');
});

await test('setup: rows of providers, when a key is asked for, and what is said', () => {
  const provider: Provider = {
    id: 'acme',
    name: 'Acme',
    about: 'fast, $1 per million tokens',
    baseUrl: 'https://acme.example/v1',
    wire: 'chat',
    keyVariable: 'ACME_KEY',
    keyPage: 'https://acme.example/keys',
    state: { kind: 'needsKey' },
  };
  const of = (state: Provider['state']) => ({ ...provider, state });
  assert.deepEqual(providerRow(provider), { label: 'Acme', description: 'needs a key', detail: provider.about });
  assert.equal(providerRow(of({ kind: 'runs', models: 1 })).description, 'running, 1 model');
  assert.equal(providerRow(of({ kind: 'runs', models: 0 })).description, 'running, no model loaded');
  assert.ok(keyPrompt(provider, provider.baseUrl)?.includes('https://acme.example/keys'));
  assert.equal(keyPrompt(of({ kind: 'hasKey' }), provider.baseUrl), undefined);
  assert.equal(keyPrompt(of({ kind: 'runs', models: 1 }), 'http://127.0.0.1:1/v1'), undefined);
  assert.equal(keyPrompt(of({ kind: 'elsewhere' }), 'http://localhost:4000/v1'), undefined);
  assert.ok(keyPrompt(of({ kind: 'elsewhere' }), 'http://localhost.example.com/v1'));
  assert.equal(nameOf(provider, provider.baseUrl), 'Acme');
  assert.equal(nameOf({ ...provider, baseUrl: '' }, 'https://llm.example.com:8000/v1'), 'llm.example.com:8000');
  assert.match(noListText('Acme', true), /^Acme lists no models for this key\. /);
  assert.match(noListText('Acme', false), /^Acme lists no models\. /);
  assert.equal(problemText({ what: 'it refused', nextStep: 'check the key' }), 'it refused; check the key');
  const outcome: Outcome = {
    status: 'written',
    path: '/c',
    answeredMs: 41,
    inKeychain: true,
    profileLine: null,
    notes: ['It costs nothing.'],
    problem: null,
  };
  assert.equal(outcomeText('m', outcome), 'Tandem now uses m. It answered in 41 ms. It costs nothing.');
});

await test('setup: where a key cannot be stored, what is to be done is what the platform wants', () => {
  assert.match(keyLineText('linux'), /Add a line with the key to your shell’s profile/);
  assert.match(keyLineText('win32'), /Run a line with the key in a terminal/);
  assert.ok(!keyLineText('win32').includes('profile'));
});

await test('messages are sentences, with a button for each remedy that they name', () => {
  assert.equal(sentence('the reply is empty'), 'Tandem: the reply is empty.');
  assert.equal(sentence('Tandem uses m now.'), 'Tandem uses m now.');
  assert.equal(sentence('Tandem: why?'), 'Tandem: why?');
  const labels = (message: string) => remedies(message).map(({ label }) => label);
  assert.deepEqual(labels('no fast model answers; run `tandem doctor`'), ['Doctor']);
  assert.deepEqual(labels('choose another with `tandem setup`, or see `tandem doctor`'), ['Doctor', 'Set Up a Model…']);
  assert.deepEqual(labels("Tandem's settings: fast: left out"), ['Open Configuration File']);
  const missing = "Tandem's settings: fast.candidates.0: left out: the environment variable KEY holds no key";
  assert.deepEqual(labels(missing), ['Enter Key…', 'Open Configuration File']);
  assert.deepEqual(labels('a refused (status 401): no; run `tandem doctor`'), ['Enter Key…', 'Doctor']);
  assert.deepEqual(labels('`budget.day_dollars` is reached ($1 of $1 today, UTC)'), [
    'Raise for Today',
    'Raise the Budget',
    'Switch Model…',
  ]);
  assert.deepEqual(labels('no model answers: a cannot be reached; run `tandem doctor`'), [
    'Retry',
    'Switch Model…',
    'Doctor',
  ]);
  assert.deepEqual(labels('the doctor'), []);
});

await test('what a policy limits is not raised, and the day of others is', () => {
  const reached = '`budget.day_dollars` is reached ($1 of $1 today, UTC)';
  const labels = remedies(`${reached}, which a company's policy limits`).map(({ label }) => label);
  assert.deepEqual(labels, ['Switch Model…']);
});

await test('versions are parsed and compared', () => {
  assert.deepEqual(parseVersion('tandem 0.1.0'), [0, 1, 0]);
  assert.deepEqual(parseVersion('tandem 1.12.3 (abc 2026-01-01)'), [1, 12, 3]);
  assert.equal(parseVersion('GNU bash, version 5.2'), undefined);
  assert.equal(parseVersion(''), undefined);
  assert.equal(isOlder([0, 1, 0], [0, 1, 0]), false);
  assert.equal(isOlder([0, 9, 9], [0, 10, 0]), true);
  assert.equal(isOlder([1, 0, 0], [0, 10, 0]), false);
});

await test('settings that the user has set override `configuration`, and no others are sent', () => {
  const set: Record<string, unknown> = { eagerness: 'low', 'nextEdit.enabled': false };
  const source = {
    get: <T>(name: string) => (name === 'configuration' ? { max_file_bytes: 5, eagerness: 'high' } : set[name]) as T,
    inspect: <T>(name: string) => (name in set ? { globalValue: set[name] as T } : {}),
  };
  assert.deepEqual(serverSettings(source), { max_file_bytes: 5, eagerness: 'low', next_edit: false });
});

await test('one language is turned off and on beside its other values', () => {
  const set = { markdown: { enabled: false }, python: { eagerness: 'low' } };
  const off = withLanguage(set, 'python', false);
  assert.deepEqual(off, { markdown: { enabled: false }, python: { eagerness: 'low', enabled: false } });
  assert.deepEqual(withLanguage(off, 'python', true).python, { eagerness: 'low', enabled: true });
  assert.deepEqual(withLanguage({}, 'rust', false), { rust: { enabled: false } });
});

await test('restarts are allowed a few times in a few minutes', () => {
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

await test('several letters at once count as accepted, one only by a command', () => {
  assert.deepEqual(follow([10, 'h'], [11, 'e']), ['typed 1', 'typed 2']);
  assert.deepEqual(follow([10, 'height']), ['part 6']);
  assert.deepEqual(follow([10, 'h'], [11, 'eight'], [16, ';']), ['typed 1', 'part 6', 'over 7']);
  assert.deepEqual(follow([10, 'h', true]), ['part 1']);
  assert.deepEqual(follow([10, 'x']), ['over 0']);
  assert.deepEqual(follow([9, 'h']), ['over 0']);
});

await test('suggestion that replaces text is tracked if it begins with that text', () => {
  assert.equal(PartialAccept.create(1, 'self.width', 'this', 0), undefined);
  const suggestion = PartialAccept.create(1, 'self.🙂\nwidth', 'self', 4)!;
  assert.equal(suggestion.at, 8);
  assert.equal(suggestion.update([{ rangeOffset: 8, rangeLength: 0, text: '.' }], false), 'typed');
  // One character of two units, typed.
  assert.equal(suggestion.update([{ rangeOffset: 9, rangeLength: 0, text: '🙂' }], false), 'typed');
  // In a file with CRLF.
  assert.equal(suggestion.update([{ rangeOffset: 11, rangeLength: 0, text: '\r\n' }], true), 'part');
  assert.equal(suggestion.accepted, 8);
  assert.equal(suggestion.at, 13);
  assert.equal(suggestion.indentation, '');
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

await test('change within a line is drawn by words', () => {
  assert.equal(drawn('same', 'same'), 'nothing');
  assert.equal(drawn('f(a)', 'f(a, b)'), '2:7 to line 2; 2:7 +", b"');
  assert.equal(drawn('f(a, b)', 'f(a)'), '2:7 to line 2; 2:7-10 goes');
  assert.equal(drawn('self.width', 'self.breadth'), '2:9 to line 2; 2:9-14 goes, 2:14 +"breadth"');
  assert.equal(drawn('foo()', 'foo_bar()'), '2:7 to line 2; 2:7 +"_bar"');
  assert.equal(drawn('"🙂"', '"🙃"'), '2:5 to line 2; 2:5-7 goes, 2:7 +"🙃"');
});

await test('change of several lines is drawn line by line', () => {
  assert.equal(drawn('a = 1;\nb = 1;', 'a = 2;\nb = 2;'), '2:8 to line 3; 2:8-9 goes, 2:9 +"2", 3:4-5 goes, 3:5 +"2"');
});

await test('inserted lines are drawn below, and deleted lines are struck out', () => {
  assert.equal(drawn('a', 'a\nb\nc'), '2:0 to line 2; below 2 +["b","c"]');
  assert.equal(drawn('f();', 'f(a,\n  b);'), '2:6 to line 2; 2:6-8 goes, 2:8 +"a,", below 2 +["  b);"]');
  assert.equal(drawn('f(', 'f(a,\n  b)'), '2:6 to line 2; 2:6 +"a,", below 2 +["  b)"]');
  assert.equal(drawn('a\nb\nc', 'a\nc'), '3:0 to line 3; 3:0-1 goes');
  assert.equal(drawn('a\nb\nc', 'a\nx\ny\nc'), '3:0 to line 3; 3:0-1 goes, below 3 +["x","y"]');
  assert.equal(drawn('', 'a\nb\n'), '2:0 to line 2; below 2 +["a","b",""]');
});

await test('lines inserted inside a word are drawn as whole lines', () => {
  const { old, text } = wholeLines('', 'leep(self):\n        pass\n\n    def s', '    def s', 'peak(self):');
  const found = hunkOf(old, text, { line: 7, character: 0 });
  assert.deepEqual(found, {
    at: { line: 6, character: 0 },
    lastLine: 6,
    pieces: [{ kind: 'lines', after: 6, text: ['    def sleep(self):', '        pass', ''] }],
  });
});

/** Where the label goes in a text, whose `ˇ` it is about; lines of `+` have an edit, lines of `>` an edit beside them. */
function labelled(prefers: 'above' | 'below', ...marked: string[]): string {
  const text = marked.map((line) => line.replace('ˇ', ''));
  const line = marked.findIndex((it) => it.includes('ˇ'));
  const at = { line, character: marked[line]!.indexOf('ˇ') };
  const pieces = text.flatMap((it, number): Piece[] =>
    it.startsWith('+')
      ? [{ kind: 'delete', line: number, from: 0, to: 1 }]
      : it.startsWith('>')
        ? [{ kind: 'lines', after: number, text: ['b'.repeat(30)] }]
        : [],
  );
  const place = hintPlace({ text: (number) => text[number], tabSize: 4 }, at, pieces, prefers);
  return place.kind === 'end' ? 'end' : `${place.kind} ${place.character}${place.isLeft ? ' left' : ''}`;
}

await test('label of a next edit covers nothing if there is room for it', () => {
  const [long, short] = ['x'.repeat(90), 'x'.repeat(20)];
  const about = `${'x'.repeat(30)}ˇ${'x'.repeat(60)}`;
  assert.equal(labelled('below', long, `${short}ˇ`, long), 'end');
  assert.equal(labelled('below', short, about, short), 'below 30');
  assert.equal(labelled('above', short, about, short), 'above 30');
  assert.equal(labelled('below', short, about, long), 'above 30');
  // The first line has nothing above it, and the last one nothing below.
  assert.equal(labelled('above', about, short), 'below 30');
  assert.equal(labelled('below', short, about), 'below 30');
  // Behind a neighbour that ends farther right.
  assert.equal(labelled('below', long, about, 'x'.repeat(50)), 'below 52');
  assert.equal(labelled('below', long, about, `\t${'x'.repeat(30)}`), 'below 36');
  // Left of what it is about, near the end of a line.
  assert.equal(labelled('below', short, `${'x'.repeat(80)}ˇ${'x'.repeat(10)}`, short), 'below 80 left');
  // Behind lines that are inserted beside the neighbour.
  assert.equal(labelled('above', `>${short}`, about, long), 'above 56');
});

await test('label of a next edit covers what the edit leaves as it is', () => {
  const long = 'x'.repeat(90);
  const about = `${'x'.repeat(30)}ˇ${'x'.repeat(60)}`;
  assert.equal(labelled('below', long, about, `+${long}`), 'above 30');
  assert.equal(labelled('above', `+${long}`, about, long), 'below 30');
  assert.equal(labelled('below', long, about, `>${long}`), 'above 30');
  assert.equal(labelled('below', `+${long}`, about, `+${long}`), 'below 30');
});

await test('picture of lines has their text, escaped and without common indentation', () => {
  const svg = svgBlock(
    { lines: ['\tif a < b {', '\t\tx', '\t}'], tabSize: 4, fontFamily: 'Fira "Code"', fontSize: 14, lineHeight: 20 },
    true,
  );
  const texts = [...svg.matchAll(/<text[^>]*>([\s\S]*?)<\/text>/g)].map((match) => match[1]);
  assert.deepEqual(texts, ['if a &lt; b {', '    x', '}']);
  assert.match(svg, /height="62"/);
  assert.match(svg, /font-family="Fira &quot;Code&quot;"/);
});

await test('files of an edit are told apart, and some of them can be left out', () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const of = (uri: string, newText: string) => ({
    textDocument: { uri, version: null },
    edits: [{ range, newText, annotationId: 'tandem' }],
  });
  const edit = {
    documentChanges: [
      of('a', '1'),
      { kind: 'create' as const, uri: 'b', annotationId: 'tandem' },
      of('b', '2'),
      { kind: 'rename' as const, oldUri: 'c', newUri: 'd' },
      of('d', '3'),
      { kind: 'delete' as const, uri: 'e' },
    ],
  };
  const found = files(edit);
  assert.deepEqual(
    found.map((it) => [it.from, it.to, textEdits(it).map(({ newText }) => newText)]),
    [
      ['a', 'a', ['1']],
      [undefined, 'b', ['2']],
      ['c', 'd', ['3']],
      ['e', undefined, []],
    ],
  );
  const { documentChanges } = editOf(found.filter(({ to }) => to === 'b'));
  assert.deepEqual(documentChanges, [
    { kind: 'create', uri: 'b' },
    { textDocument: { uri: 'b', version: null }, edits: [{ range, newText: '2' }] },
  ]);
  assert.deepEqual(
    files({ changes: { x: [] } }).map(({ from, to }) => [from, to]),
    [['x', 'x']],
  );
});

await test('change is outdated where the document is another one than the server knows', () => {
  const of = (version: number | null) =>
    files({ documentChanges: [{ textDocument: { uri: 'a', version }, edits: [] }] });
  const check = (known: number | null, version: number, isDirty: boolean) =>
    of(known).map((it) => isOutdated(it, { version, isDirty }));
  assert.deepEqual(check(3, 3, true), [false]);
  assert.deepEqual(check(3, 4, false), [true]);
  // A file that the server has read from disk.
  assert.deepEqual(check(null, 3, false), [false]);
  assert.deepEqual(check(null, 3, true), [true]);
});

await test('replacements refer to the original text', () => {
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

await test('configuration file is where the server looks', () => {
  assert.equal(configurationPath({ TANDEM_CONFIG: '/a/b.toml', XDG_CONFIG_HOME: '/c' }), '/a/b.toml');
  assert.equal(configurationPath({ XDG_CONFIG_HOME: '/c' }), '/c/tandem/config.toml');
  for (const environment of [{}, { XDG_CONFIG_HOME: '' }, { XDG_CONFIG_HOME: 'c' }]) {
    assert.equal(configurationPath(environment), `${os.homedir()}/.config/tandem/config.toml`);
  }
});

await test('recording is where the server writes it', () => {
  assert.equal(recordingFolder({ TANDEM_STATE: '/s', XDG_STATE_HOME: '/x' }), '/s/recording');
  assert.equal(recordingFolder({ XDG_STATE_HOME: '/x', HOME: '/h' }), '/x/tandem/recording');
  assert.equal(recordingFolder({ XDG_STATE_HOME: 'x', HOME: '/h' }), '/h/.local/state/tandem/recording');
  assert.equal(recordingFolder({ LOCALAPPDATA: '/l' }), '/l/tandem/recording');
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

await test('status bar shows the model, and what is wrong', () => {
  const text = (more: Partial<Status>) => {
    const shown = statusBarItem({ ...ready, ...more }, now);
    return [shown.text, shown.color].filter(Boolean).join(' | ');
  };
  assert.equal(text({}), '$(zap) swift-coder-2  $0.12');
  assert.equal(text({ usage: {} }), '$(zap) swift-coder-2');
  assert.equal(text({ state: 'local' }), '$(zap) Tandem: local');
  assert.equal(text({ state: 'local', available: true }), '$(sparkle) Tandem: local');
  const off = { uri: 'file:///a.py', state: 'off', why: '`languages.python.enabled` is false' };
  assert.equal(text({ state: 'local', file: off }), '$(circle-slash) Tandem: off for this language');
  assert.equal(fileLine(off), 'gets no suggestions: `languages.python.enabled` is false');
  assert.equal(text({ state: 'degraded' }), '$(warning) swift-coder-2  $0.12 | warning');
  assert.equal(text({ state: 'offline' }), '$(debug-disconnect) Tandem: offline | warning');
  const refused: Status['gears'] = { fast: { state: 'refused' } };
  assert.equal(text({ state: 'offline', gears: refused }), '$(error) Tandem: refused | warning');
  assert.equal(text({ state: 'capped' }), '$(circle-slash) Tandem: budget reached  $0.12 | warning');
  assert.equal(gearLine({ state: 'capped', asked: 'm' }), 'budget reached, m');
  assert.equal(
    text({ state: 'snoozed', snoozedUntil: new Date(2026, 10, 21, 12, 5).getTime() }),
    '$(bell-slash) Tandem until 12:05',
  );
  assert.equal(
    text({ state: 'snoozed', snoozedUntil: new Date(2026, 10, 22, 12, 5).getTime() }),
    '$(bell-slash) Tandem until tomorrow',
  );
  assert.equal(shorten('accounts/fireworks/models/qwen3-coder-480b'), 'accounts/fir…3-coder-480b');
  assert.equal(fileLine({ uri: 'file:///a', state: 'followed', why: null }), 'gets suggestions');
  assert.equal(fileLine({ uri: 'file:///a', state: 'too-large', why: 'it has 9 MB' }), 'is too large: it has 9 MB');
  assert.ok(usageText({ ...usage, requests: 1 }).startsWith('1 request,'));
  assert.equal(usageText({ ...usage, requests: 2 }), '2 requests, 1,005,000 tokens, price not known');
  assert.deepEqual([formatDollars(0), formatDollars(0.004), formatDollars(12.3)], ['$0.00', '<$0.01', '$12.30']);
});

await test("tooltip is a table, with other sources' text escaped", () => {
  const text = tooltip(
    { ...ready, recording: true, text: 'a | [b](c)', file: { uri: 'file:///a', state: 'secret', why: 'it is `.env`' } },
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
      '| recorder&nbsp; | on |',
      '| this file&nbsp; | may hold secrets: it is \\`.env\\` |',
      '',
      '',
      '/bin/tandem',
    ].join('\n'),
  );
});

await test('tooltip says one cause once', () => {
  const why = 'a cannot be reached at http://a: Connection refused';
  const text = tooltip(
    {
      state: 'offline',
      text: `local engine: no fast model answers (${why})`,
      gears: {
        fast: { state: 'offline', asked: 'm', degraded: why, refused: [{ provider: 'a', model: 'm', why }] },
        deep: { state: 'offline', asked: 'n', degraded: why },
      },
    },
    undefined,
    now,
  );
  assert.equal(text.split('Connection refused').length, 2, text);
  assert.match(text, /deep&nbsp; \| offline, n \|/);
});

await test('edit on screen is among the places that are left, in the order of the files', () => {
  const at = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 1 } });
  const shown = {
    id: 1,
    text: 'b',
    range: at(1),
    textDocument: { uri: 'file:///b', version: null },
    command: { title: '', command: '' },
  };
  const left = {
    places: [
      { uri: 'file:///b', range: at(2) },
      { uri: 'file:///a', range: at(3) },
    ],
  };
  const lines = withShown(left, shown)?.places.map(({ uri, range }) => `${uri}:${range.start.line}`);
  assert.deepEqual(lines, ['file:///a:3', 'file:///b:1', 'file:///b:2']);
  assert.equal(withShown(left, undefined), left);
  assert.equal(withShown(undefined, shown)?.places.length, 1);
});

await test('fixes are said by what they do to the text', () => {
  const removed = (...lines: string[]) => ({ old: lines.map((line) => `${line}\n`).join(''), text: '' });
  assert.equal(fixText([removed('import os', 'import re')]), 'removed `import os` and `import re`');
  assert.equal(fixText([removed('a'), removed('b', '', 'c'), removed('d')]), 'removed `a`, `b`, `c` and 1 more');
  assert.equal(fixText([{ old: 'totl', text: 'total' }]), 'changed `totl` to `total`');
  assert.equal(fixText([{ old: '', text: ';' }, removed('  x  =  1')]), 'added `;`; removed `x = 1`');
  assert.equal(fixText([{ old: '', text: 'a'.repeat(50) }]), `added \`${'a'.repeat(39)}…\``);
  assert.equal(fixText([{ old: ' ', text: '' }]), undefined);
});

finish();
