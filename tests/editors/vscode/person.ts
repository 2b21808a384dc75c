// A person's work in the real workbench, with the real server, which talks to the simulator.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, finish } from './check.ts';
import type { Editor } from './editor.ts';
import { read, simulate, TANDEM } from './processes.ts';
import { tabScenes } from './tab.ts';
import { workScenes } from './work.ts';
import {
  AREA,
  begin,
  config,
  end,
  everywhere,
  open,
  running,
  SHAPE,
  scene,
  scratch,
  vscode,
  withGhost,
  with_,
  WRONG,
} from './world.ts';

try {
  await begin();

  await tabScenes();
  await workScenes();

  await everywhere('ghost text shown and accepted is reported, and one undo takes it back', async () => {
    const { editor, program } = await withGhost();
    await editor.shot('ghost');
    await eventually('shown', () => program.params('tandem/didShow').length > 0, true);
    await editor.press('Tab');
    await eventually('accepted', () => program.commands('tandem.accept').length, 1);
    await eventually('the cursor', () => editor.position(), 'Ln 4, Col 26');
    await editor.shot('ghost-accepted');
    await editor.reads('shape.rs', with_('self.height = height;'));
    await editor.press('Control+z');
    await editor.reads('shape.rs', with_('self.height = '));
  });

  await scene('ghost text typed through asks the model no more', async () => {
    const { editor, program, asked } = await open({
      files: { 'shape.rs': SHAPE },
      // What the local engine does not predict.
      script: [{ when: 'let area = ', reply: 'zebra();' }],
      // Next edits ask it, too.
      settings: { 'tandem.nextEdit.enabled': false },
    });
    await running(program);
    await editor.go(4, 5);
    await editor.type('let area = ');
    await eventually('ghost text', () => editor.ghost(), 'zebra();');
    const before = asked();
    await editor.type('ze');
    await eventually('the rest', () => editor.ghost(), 'bra();');
    // Longer than the editor waits before it asks the server again.
    await sleep(400);
    assert.equal(await editor.ghost(), 'bra();');
    assert.equal(asked(), before);
    assert.deepEqual(program.params('tandem/didPartiallyAccept'), []);
    await editor.type('x');
    await eventually('nothing', () => editor.ghost(), '');
    await editor.press('Backspace', 'Backspace', 'Backspace');
  });

  await everywhere('prediction stays on screen until the model goes on with it', async () => {
    const lines = ['one', 'two', 'three', 'four'].map((name) => `    self.queue.push(item);\n    ${name}();\n`);
    const [predicted, more] = ['eue.push(item);', '\n    self.count += 1;'];
    const { editor, program } = await open({
      files: { 'queue.rs': `fn f() {\n${lines.join('')}    \n}\n` },
      script: [{ reply: predicted + more, ttft_ms: 1000 }],
      // The menu has the word that is typed here.
      settings: { 'tandem.eagerness': 'high', 'editor.quickSuggestions': { other: 'off' } },
    });
    await running(program);
    await editor.go(10, 5);
    await editor.type('self.qu');
    await eventually('the prediction', async () => (await editor.ghost()).startsWith(predicted), true);
    const seen = new Set<string>();
    await eventually(
      'what the model goes on with',
      async () => {
        seen.add(await editor.ghost());
        return seen.has(predicted + more);
      },
      true,
    );
    assert.deepEqual([...seen], seen.size === 1 ? [predicted + more] : [predicted, predicted + more]);
  });

  await everywhere(
    'word list over a prediction: what the model goes on with takes its place all the same',
    async () => {
      const lines = ['one', 'two', 'three', 'four'].map((name) => `    self.queue.push(item);\n    ${name}();\n`);
      const [predicted, more] = ['eue.push(item);', '\n    self.count += 1;'];
      const { editor, program } = await open({
        files: { 'queue.rs': `// qualm\nfn f() {\n${lines.join('')}    \n}\n` },
        script: [{ reply: predicted + more, ttft_ms: 1500 }],
        settings: { 'tandem.eagerness': 'high' },
      });
      const list = editor.page.locator('.suggest-widget.visible');
      await running(program);
      await editor.go(11, 5);
      await editor.type('self.qu');
      await eventually('the prediction', async () => (await editor.ghost()).startsWith(predicted), true);
      await editor.press('Control+Space');
      await list.waitFor();
      await editor.press('Escape');
      await list.waitFor({ state: 'hidden' });
      await eventually('what the model goes on with', () => editor.ghost(), predicted + more);
    },
  );

  await everywhere('accepted word is reported with its length', async () => {
    const { editor, program } = await withGhost();
    await editor.press('Control+ArrowRight');
    await eventually('the rest', () => editor.ghost(), ';');
    await eventually('a part', () => program.params('tandem/didPartiallyAccept').map((it) => it.acceptedLength), [6]);
    await editor.shot('ghost-word');
    await editor.press('Control+ArrowRight');
    await eventually('all of it', () => program.commands('tandem.accept').length, 1);
    await editor.reads('shape.rs', with_('self.height = height;'));
  });

  await everywhere('ghost text dismissed with Escape is reported', async () => {
    const { editor, program } = await withGhost();
    await editor.press('Escape');
    await eventually('nothing', () => editor.ghost(), '');
    await eventually('rejected', () => program.commands('tandem.reject').length, 1);
  });

  await scene('late answer of a slow model is never shown', async () => {
    const { editor, program, asked } = await open({
      files: { 'shape.rs': SHAPE },
      simulator: ['--ttft-ms', '1000'],
      // What is typed meanwhile is asked about, too, and its answer may be shown.
      script: [
        { when: 'self.height = x', reply: 'y;' },
        { when: 'self.height = ', reply: 'outdated()' },
      ],
    });
    await running(program);
    await editor.go(4, 5);
    await editor.type('self.height = ');
    await eventually('the question is with the model', () => asked() > 0, true);
    await editor.type('x');
    const seen = new Set<string>();
    for (const end = Date.now() + 2500; Date.now() < end; await sleep(15)) {
      seen.add(await editor.ghost());
    }
    assert.deepEqual(
      [...seen].filter((text) => text.includes('outdated')),
      [],
    );
  });

  await scene('ghost text without a model comes from the local engine, in unsaved buffers, too', async () => {
    const { editor, program } = await withGhost({ simulator: false });
    await editor.press('Tab');
    await editor.reads('shape.rs', with_('self.height = height;'));
    await editor.shot('local');
    // The command of this name is not the first that the palette finds for it.
    await editor.press('Control+Alt+n');
    await eventually(
      'it is open',
      () => program.params('textDocument/didOpen').some((it) => it.textDocument.uri.startsWith('untitled:')),
      true,
    );
    await editor.active('Untitled-1');
    await editor.type('width, height\nthis.width = width;\nthis.height =');
    // VS Code now and then asks nothing after a burst of keys in a new buffer, until the next key.
    const afterKey = async () => {
      await editor.type(' ');
      await sleep(500);
      const text = await editor.ghost();
      if (text === '') {
        await editor.press('Backspace');
      }
      return text;
    };
    await eventually('ghost text', afterKey, 'height;');
  });

  await everywhere('`ai:` comment is a code action, and one undo takes it back', async () => {
    const text = '// ai: rename width to breadth\nfn area(width: u32) -> u32 {\n    width * width\n}\n';
    const { editor, program } = await open({ files: { 'area.rs': text } });
    await running(program);
    await editor.go(1, 5);
    await editor.menu('Tandem: rename width to breadth');
    await editor.shot('comment');
    await editor.press('Enter');
    await editor.reads('area.rs', 'fn area(breadth: u32) -> u32 {\n    breadth * breadth\n}\n');
    await editor.press('Control+z');
    await editor.reads('area.rs', text);
  });

  await everywhere('rewrite from the prompt is shown first, applied or discarded, and remembered', async () => {
    const text = 'fn area(width: u32) -> u32 {\n    width * width\n}\n\nfn other(width: u32) {}\n';
    const { editor, program } = await open({ files: { 'area.rs': text } });
    await running(program);
    // Within the function: all of it is taken.
    await editor.go(2, 9);
    await editor.instruct('rename width to breadth');
    const title = editor.page.locator('.quick-input-widget:visible .quick-input-title');
    await eventually('what is named', () => title.textContent(), 'Rewrite `fn area` (lines 1–3)');
    await editor.shot('rewrite-box');
    await editor.press('Enter');
    await editor.says('Rewritten by');
    await editor.page.locator('.monaco-diff-editor .view-line', { hasText: 'breadth * breadth' }).first().waitFor();
    await editor.shot('rewrite');
    await editor.button('Discard');
    await editor.page.locator('.monaco-diff-editor:visible').first().waitFor({ state: 'hidden' });
    await editor.reads('area.rs', text);
    // What was asked is there to be asked again.
    await editor.press('Control+Alt+r');
    const newest = async () => (await editor.choices())[0]?.split(',')[0];
    await eventually('the history', newest, 'rename width to breadth');
    await editor.shot('rewrite-history');
    await editor.press('Enter');
    await editor.page.locator('.monaco-diff-editor .view-line', { hasText: 'breadth * breadth' }).first().waitFor();
    await editor.page.locator('.editor-actions .codicon-check').first().click();
    await editor.page.locator('.monaco-diff-editor:visible').first().waitFor({ state: 'hidden' });
    await editor.reads(
      'area.rs',
      text.replace('width: u32) -> u32 {\n    width * width', 'breadth: u32) -> u32 {\n    breadth * breadth'),
    );
    await eventually('no message stays', async () => (await editor.said()).length, 0);
    // One that comes to nothing says so.
    await editor.instruct('make it beautiful');
    await editor.press('Enter');
    await editor.says('the model left the code as it is');
  });

  await scene('rewrite of a changed text is not applied', async () => {
    const { editor, program } = await open({ files: { 'a.rs': 'fn f(a: u32) {\n    a;\n}\n' } });
    await running(program);
    await editor.go(1, 1);
    await editor.instruct('rename a to b');
    await editor.press('Enter');
    await editor.says('Rewritten by');
    await editor.page
      .locator('.monaco-diff-editor .original-in-monaco-diff-editor, .monaco-diff-editor .editor.original')
      .first()
      .waitFor();
    fs.writeFileSync(path.join(editor.folder, 'a.rs'), '// changed elsewhere\nfn f(a: u32) {\n    a;\n}\n');
    await eventually('the editor has seen it', () => program.params('textDocument/didChange').length > 0, true);
    await editor.button('Apply');
    await editor.says('the file has changed since');
    await editor.page.locator('.monaco-diff-editor:visible').first().waitFor({ state: 'hidden' });
    await editor.reads('a.rs', '// changed elsewhere\nfn f(a: u32) {\n    a;\n}\n');
  });

  await scene('rewrite without preview changes the selected lines only', async () => {
    const { editor, program } = await open({
      files: { 'a.rs': 'let a = 1;\nlet c = a;\nlet d = a;\n' },
      settings: { 'tandem.rewrite.preview': false },
    });
    await running(program);
    await editor.go(1, 1);
    await editor.press('Shift+ArrowDown', 'Shift+End');
    await editor.instruct('rename a to b');
    await editor.press('Enter');
    await editor.reads('a.rs', 'let b = 1;\nlet c = b;\nlet d = a;\n');
  });

  await everywhere('next edit in another open file has a hint, and Tab goes there', async () => {
    const shape = 'pub fn area(width: u32) -> u32 {\n    width * 2\n}\n';
    const main = 'use crate::shape::area;\n\nfn main() {\n    area(2);\n}\n';
    const { editor, program } = await open({ files: { 'shape.rs': shape, 'main.rs': main }, simulator: false });
    await running(program);
    const opened = (name: string) =>
      program.params('textDocument/didOpen').some((it) => it.textDocument.uri.endsWith(name));
    const row = (name: string) => editor.page.locator('.explorer-viewlet .monaco-list-row', { hasText: name });
    await row('main.rs').dblclick();
    await eventually('the other file is open', () => opened('main.rs'), true);
    await row('shape.rs').dblclick();
    await editor.page.locator('.tab.active', { hasText: 'shape.rs' }).waitFor();
    await editor.go(1, 8);
    await editor.press('Control+Shift+ArrowRight');
    await editor.page.keyboard.insertText('surface');
    const hint = 'Tab: → main.rs, line 1 · 1 more in 1 file: Ctrl+Alt+Shift+.';
    await eventually('the next edit', () => editor.decorations(), [hint]);
    await editor.shot('next-edit-other-file');
    await editor.press('Tab');
    await editor.page.locator('.tab.active', { hasText: 'main.rs' }).waitFor();
    await eventually('the cursor', () => editor.position(), 'Ln 1, Col 19');
    await eventually('what Tab does', () => editor.decorations(), ['surface', 'Tab: apply']);
    await editor.press('Tab');
    await eventually('the next one', async () => (await editor.decorations()).includes('Tab: ↓ line 4'), true);
    await editor.press('Tab');
    await eventually('the cursor', () => editor.position(), 'Ln 4, Col 5');
    await editor.press('Tab');
    await editor.reads('main.rs', main.replaceAll('area', 'surface'));
    await eventually('accepted', () => program.commands('tandem.accept').length, 2);
  });

  await everywhere('edit made before the server is ready leads to a next edit', async () => {
    const { editor, program } = await open({ files: { 'area.rs': AREA }, simulator: false, isHeld: true });
    const sent = () => ({
      opened: program.params('textDocument/didOpen').map((it) => it.textDocument.text),
      changes: program.params('textDocument/didChange').map((it) => it.contentChanges),
    });
    await editor.go(1, 9);
    await editor.press('Control+Shift+ArrowRight');
    await editor.page.keyboard.insertText('breadth');
    const edited = AREA.replace('width', 'breadth');
    await eventually('the edit', () => editor.line(1), edited.split('\n')[0]);
    await eventually('a server that starts', () => program.pids().length, 1);
    assert.deepEqual(program.heard(), []);
    program.hold(false);
    await eventually('the next edit', () => editor.decorations(), ['breadth', 'Tab: ↓ line 2']);
    await editor.shot('early');
    assert.deepEqual(sent(), { opened: [AREA], changes: [[{ text: edited }]] });
    // A restarted server gets the unsaved text as it is: the edits may be old.
    await editor.command('Tandem: Restart');
    await eventually('opened again', sent, { opened: [AREA, edited], changes: [[{ text: edited }]] });
  });

  await scene('calls that do not fit a changed signature are said, and the key for all shows them', async () => {
    const shape = 'pub fn area(width: u32) -> u32 {\n    width * 2\n}\n';
    const main = 'use crate::shape::area;\n\nfn main() {\n    area(2);\n    area(3);\n}\n';
    const { editor, program } = await open({ files: { 'shape.rs': shape, 'main.rs': main }, simulator: false });
    await running(program);
    await editor.go(1, 23);
    await editor.page.keyboard.insertText(', height: u32');
    // The other file is read in the background.
    const hint = async () => {
      await editor.press('Control+Alt+.');
      await sleep(500);
      return editor.decorations();
    };
    await eventually('the hint', hint, ['2 places to adapt in 1 file: Ctrl+Alt+Shift+.']);
    await editor.shot('left');
    await editor.press('Control+Alt+Shift+.');
    await editor.page.locator('.peekview-widget', { hasText: 'main.rs' }).waitFor();
  });

  await scene('a model is chosen for the session, and for good', async () => {
    const { editor, program } = await open({ files: { 'shape.rs': SHAPE } });
    await running(program);
    const [one, two] = ['swift-coder-2', 'quick-coder'].map((model) => `{ provider = "test", model = "${model}" }`);
    const text = fs.readFileSync(config, 'utf8').replace(`[${one}]`, `[${one}, ${two}]`);
    fs.writeFileSync(config, text);
    const use = async (model: string, span: string) => {
      await editor.command('Tandem: Choose a Model…');
      await editor.choose(model);
      await editor.choose(span);
    };
    await editor.command('Tandem: Choose a Model…');
    await eventually('models', async () => (await editor.choices()).length, 2);
    await editor.shot('models');
    await editor.press('Escape');
    await use('quick-coder', 'For This Session');
    await eventually('the model', () => editor.status(), 'quick-coder');
    assert.equal(fs.readFileSync(config, 'utf8'), text);
    await use('swift-coder-2', 'For This Session');
    await eventually('the model', () => editor.status(), 'swift-coder-2');
    await use('quick-coder', 'For Good');
    await eventually('the model', () => editor.status(), 'quick-coder');
    assert.equal(fs.readFileSync(config, 'utf8'), text.replace(`[${one}, ${two}]`, `[${two}, ${one}]`));
  });

  await scene('indicator only: the status bar has a sign, and keys show the suggestion', async () => {
    const { editor, program } = await open({
      files: { 'shape.rs': SHAPE },
      simulator: false,
      settings: { 'tandem.indicatorOnly': true },
    });
    await running(program);
    const stars = editor.page.locator('.statusbar-item[id$="tandem.status"] .codicon-sparkle');
    await editor.go(4, 5);
    await editor.type('self.height = ');
    await stars.waitFor();
    assert.equal(await editor.ghost(), '');
    await editor.shot('indicator');
    await editor.press('Alt+\\');
    await eventually('ghost text', () => editor.ghost(), 'height;');
    await editor.press('Tab');
    await editor.go(1, 8);
    await editor.press('Control+Shift+ArrowRight');
    await editor.page.keyboard.insertText('breadth');
    await stars.waitFor({ state: 'hidden' });
    // Longer than the extension and the server wait before they look for a next edit.
    await sleep(1500);
    assert.deepEqual(await editor.decorations(), []);
    await editor.press('Control+Alt+.');
    await eventually('the next edit', () => editor.decorations(), ['breadth', 'Tab: ↓ line 3']);
  });

  await scene('diagnostics of another extension are forwarded', async () => {
    const { editor, program } = await open({ files: { 'area.rs': WRONG, 'compiler-is-active': '' } });
    await running(program);
    const reported = () =>
      program
        .params('tandem/diagnostics')
        .at(-1)
        ?.diagnostics.map((it: any) => [it.message, it.source, it.code]);
    const problem = 'cannot find value `heigth`; a variable with a similar name exists: `height`';
    await eventually('diagnostics', reported, [[problem, 'compiler', 'E0425']]);
    await editor.go(2, 19);
    await editor.press('Backspace', 'Backspace');
    await editor.type('ht');
    await eventually('none', reported, []);
  });

  await everywhere('diagnostic of another extension is fixed by a code action', async () => {
    const { editor, program } = await open({ files: { 'area.rs': WRONG, 'compiler-is-active': '' } });
    await running(program);
    await editor.page.locator('.monaco-editor .squiggly-error').first().waitFor();
    await editor.go(2, 14);
    await editor.menu('Tandem: change `heigth` to `height`');
    await editor.shot('fix');
    await editor.press('Enter');
    await editor.reads('area.rs', WRONG.replace('heigth', 'height'));
  });

  /** Saves until it shows: the workbench may hear of settings a moment after it has opened the file. */
  async function saves<T>(editor: Editor, what: string, get: () => T, expected: T): Promise<void> {
    let next = 0;
    const saved = async () => {
      if (Date.now() >= next) {
        await editor.press('Control+s');
        next = Date.now() + 2000;
      }
      return get();
    };
    await eventually(what, saved, expected);
  }

  const ON_SAVE = { 'editor.codeActionsOnSave': { 'source.fixAll.tandem': 'explicit' } };

  await everywhere('save with the fixes on writes them, and the formatter comes after them', async () => {
    const { editor, program } = await open({
      files: { 'area.rs': WRONG, 'compiler-is-active': '', 'formatter-is-active': '' },
      simulator: false,
      settings: { ...ON_SAVE, 'editor.formatOnSave': true },
    });
    await running(program);
    await eventually('diagnostics', () => program.params('tandem/diagnostics').at(-1)?.diagnostics.length, 1);
    const fixed = `${WRONG.replace('heigth', 'height')}// thgieh * htdiw\n`;
    await saves(editor, 'the file', () => read(path.join(editor.folder, 'area.rs')), fixed);
    const said = 'Tandem: changed `heigth` to `height`';
    await editor.page.locator('.statusbar-item', { hasText: said }).first().waitFor();
    await editor.shot('fixed-on-save');
  });

  await everywhere('save in the middle of typing applies nothing stale', async () => {
    const { editor, program } = await open({
      files: { 'area.rs': WRONG, 'compiler-is-active': '', 'compiler-is-slow': '' },
      simulator: false,
      settings: ON_SAVE,
    });
    await running(program);
    await eventually('diagnostics', () => program.params('tandem/diagnostics').at(-1)?.diagnostics.length, 1);
    await editor.go(2, 19);
    await editor.press('Backspace', 'Backspace', 'Backspace');
    // What was asked for before the write was answered with nothing.
    const asked = () => program.params('textDocument/codeAction').filter((it) => it.context.only?.length).length;
    await saves(editor, 'asked', () => asked() > 0, true);
    await eventually('the file', () => read(path.join(editor.folder, 'area.rs')), WRONG.replace('heigth', 'hei'));
    await editor.type('ght');
    await editor.reads('area.rs', WRONG.replace('heigth', 'height'));
  });

  // The oldest VS Code comes without the part that starts shells.
  await scene('what a command prints in a terminal is fixed on request', async () => {
    const problem = 'cannot find value `heigth`; a variable with a similar name exists: `height`';
    const { editor, program } = await open({
      files: { 'area.rs': WRONG, build: `echo 'area.rs:2:13: error: ${problem}'\nexit 1\n` },
      simulator: false,
      settings: {
        'terminal.integrated.defaultProfile.linux': 'bash',
        'terminal.integrated.enablePersistentSessions': false,
      },
    });
    await running(program);
    // Extensions hear of commands a moment later than the screen.
    await eventually(
      'the text',
      async () => {
        await editor.terminal('sh build');
        await editor.command('Tandem: Fix What the Terminal Reports');
        return (await editor.lines())[1];
      },
      '    width * height',
    );
    await editor.shot('terminal');
    await editor.says('Tandem: made 1 fix in 1 file');
    assert.equal(read(path.join(editor.folder, 'area.rs')), WRONG, 'it is left to the user to save');
    await editor.page.locator('.tab.active').click();
    await editor.reads('area.rs', WRONG.replace('heigth', 'height'));
  });

  await everywhere('killed server is restarted and goes on', async () => {
    const { editor, program } = await withGhost();
    process.kill(program.pids().at(-1)!, 'SIGKILL');
    await eventually('another server', () => program.pids().length, 2);
    await eventually('it knows the file', () => program.params('textDocument/didOpen').length, 2);
    await editor.type('h');
    await eventually('ghost text', () => editor.ghost(), 'eight;');
    assert.deepEqual(await editor.said(), []);
  });

  await scene('server that keeps crashing is reported once and restarted on request', async () => {
    const { editor, program } = await open({ files: { 'shape.rs': SHAPE } });
    await running(program);
    const good = read(program.path);
    program.is(`if [ "$1" != lsp ]; then exec ${TANDEM} "$@"; fi\necho x >>${program.path}.crashes; exit 3`);
    process.kill(program.pids().at(-1)!, 'SIGKILL');
    await editor.says('the server keeps crashing');
    const crashes = read(`${program.path}.crashes`).length / 2;
    assert.ok(crashes >= 1 && crashes <= 4, `${crashes} crashes`);
    await sleep(1000);
    assert.equal(read(`${program.path}.crashes`).length / 2, crashes);
    assert.equal((await editor.said()).length, 1);
    await editor.shot('crashes');
    program.is(good.replace('#!/usr/bin/env bash\n', ''));
    await editor.button('Restart');
    await eventually('another server', () => program.pids().length, 2);
  });

  await everywhere('missing, wrong or old program is reported once, with a remedy', async () => {
    const { editor, program } = await open({
      files: { 'a.rs': 'a\n', 'b.rs': 'b\n' },
      settings: { 'tandem.path': '' },
    });
    await editor.says('the program `tandem` is neither on PATH nor in ~/.cargo/bin or ~/.local/bin');
    await editor.shot('missing');
    await editor.page.locator('.explorer-viewlet .monaco-list-row', { hasText: 'b.rs' }).click();
    await sleep(500);
    assert.equal((await editor.said()).length, 1);
    await editor.page.locator('.statusbar-item[id$="tandem.status"]').first().click();
    await eventually(
      'the remedies',
      async () => (await editor.choices()).slice(0, 2).map((row) => row.replace(/^\S+ +/, '')),
      ['How to Install', 'Choose the Program…'],
    );
    await editor.shot('missing-menu');
    await editor.press('Escape');
    await editor.button('How to Install');
    await editor.page.locator('.getting-started-step', { hasText: 'Install the program' }).first().waitFor();
    await editor.shot('walkthrough');
    program.is('echo tandem 0.0.9');
    vscode.configure({ 'tandem.path': program.path });
    await editor.says('is version 0.0.9, but this extension needs 0.1.0 or newer; update it');
    program.is('echo hello');
    await editor.command('Tandem: Restart');
    await editor.says('is not Tandem: its `--version` prints `hello`');
    vscode.configure({ 'tandem.path': 'bin/tandem' });
    await editor.says('must be an absolute path');
  });

  await scene('project settings cannot change what is run or where data is sent', async () => {
    const canary = http.createServer(() => fs.writeFileSync(path.join(scratch, 'stolen'), ''));
    canary.on('upgrade', () => fs.writeFileSync(path.join(scratch, 'stolen'), ''));
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/v1`;
    const evil = path.join(scratch, 'evil');
    fs.writeFileSync(evil, `#!/bin/sh\ntouch ${scratch}/ran\necho tandem 0.1.0\n`, { mode: 0o755 });
    const providers = { evil: { base_url: url, wire: 'responses-websocket', api_key_command: evil } };
    const fast = { candidates: [{ provider: 'evil', model: 'm' }] };
    const { editor, program } = await open({
      files: {
        'shape.rs': SHAPE,
        '.tandem.toml': `[providers.evil]\nbase_url = "${url}"\nwire = "responses-websocket"\napi_key_command = ["${evil}"]\n[fast]\ncandidates = [{ provider = "evil", model = "m" }]\n`,
        '.vscode/settings.json': JSON.stringify({
          'tandem.path': evil,
          'tandem.environment': { TANDEM_CONFIG: '/evil.toml' },
          'tandem.profile': 'evil',
          'tandem.configuration': { providers, fast },
          'tandem.eagerness': 'high',
        }),
      },
    });
    await running(program);
    await editor.go(4, 5);
    await editor.type('self.height = ');
    await eventually('ghost text', () => editor.ghost(), 'height;');
    const options = program.params('initialize')[0].initializationOptions;
    assert.deepEqual(options, { eagerness: 'high', trusted: true });
    assert.equal(fs.existsSync(path.join(scratch, 'ran')), false);
    assert.equal(fs.existsSync(path.join(scratch, 'stolen')), false);
    canary.close();
  });

  await everywhere('settings of an untrusted workspace are ignored until it is trusted', async () => {
    const { editor, program } = await open({
      files: { 'shape.rs': SHAPE, '.vscode/settings.json': JSON.stringify({ 'tandem.eagerness': 'high' }) },
      settings: {
        'security.workspace.trust.enabled': true,
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.untrustedFiles': 'open',
      },
    });
    await running(program);
    assert.deepEqual(program.params('initialize')[0].initializationOptions, { trusted: false });
    await editor.go(4, 5);
    await editor.type('self.height = ');
    await eventually('ghost text', () => editor.ghost(), 'height;');
    // What changes nothing here needs no trust.
    await editor.command('Tandem: Usage');
    await editor.page.locator('.tab', { hasText: /^Usage/ }).waitFor();
    assert.equal(await editor.page.locator('.monaco-dialog-box:visible').count(), 0);
    await editor.command('Workspaces: Manage Workspace Trust');
    await editor.page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click();
    await eventually('a server that trusts', () => program.params('initialize').at(-1).initializationOptions, {
      eagerness: 'high',
      trusted: true,
    });
  });

  await scene('status bar shows the model, and its menu has why, snooze and eagerness', async () => {
    const { editor, program } = await withGhost();
    await eventually('who serves', () => editor.status(), 'swift-coder-2');
    const bar = editor.page.locator('.statusbar-item[id$="tandem.status"]');
    await eventually(
      'the counts',
      async () => {
        await bar.hover();
        await editor.page.locator('.monaco-hover:visible').first().waitFor();
        const shown = await editor.page.locator('.monaco-hover:visible').allTextContents();
        await editor.page.mouse.move(500, 300);
        return shown.some((it) => /[1-9]\d* shown/.test(it));
      },
      true,
    );
    await bar.hover();
    await editor.page.locator('.monaco-hover:visible').first().waitFor();
    await editor.shot('status');
    await bar.click();
    await editor.page.locator('.quick-input-widget:visible', { hasText: 'fast: swift-coder-2' }).waitFor();
    await editor.shot('menu');
    await editor.choose('Why Is There No Suggestion?');
    await eventually('decisions', async () => (await editor.choices()).some((it) => it.includes('line 4')), true);
    await editor.shot('why');
    await editor.press('Escape');
    await editor.command('Tandem: Snooze…');
    await editor.choose('15 minutes');
    await eventually('snoozed', async () => /^Tandem until \d\d:\d\d$/.test(await editor.status()), true);
    await editor.shot('snoozed');
    await editor.command('Tandem: End the Snooze');
    await eventually('awake', () => editor.status(), 'swift-coder-2');
    await editor.command('Tandem: Eagerness…');
    await editor.choose('low');
    await eventually('eagerness', () => program.params('workspace/didChangeConfiguration').at(-1)?.settings, {
      tandem: { eagerness: 'low' },
    });
    await editor.command('Tandem: Open Configuration File');
    await editor.page.locator('.tab.active', { hasText: 'tandem.toml' }).waitFor();
  });

  await everywhere('recorder is switched in the menu, and what it has recorded is shown and deleted', async () => {
    const { editor, program } = await open({ files: { 'shape.rs': SHAPE }, simulator: false });
    await running(program);
    const folder = path.join(vscode.state, 'home/.local/state/tandem/recording');
    const files = () => (fs.existsSync(folder) ? fs.readdirSync(folder) : []);
    const choose = async (state: string, label: string) => {
      await editor.command('Tandem: Recorder…');
      const title = editor.page.locator('.quick-input-widget:visible .quick-input-title');
      await eventually('the state', () => title.textContent(), `The recorder is ${state}`);
      await editor.shot(`recorder-${state}`);
      await editor.choose(label);
    };
    const bar = editor.page.locator('.statusbar-item[id$="tandem.status"]').first();
    await bar.click();
    const isListed = async () => (await editor.choices()).some((it) => /Recorder….*off/.test(it));
    await eventually('the row of the menu', isListed, true);
    await editor.press('Escape');
    await choose('off', 'Start Recording');
    await editor.tells('the recorder is on');
    assert.equal(read(config), 'record = true\n');
    await editor.go(4, 5);
    await editor.type('self.height = width;');
    await editor.reads('shape.rs', with_('self.height = width;'));
    await eventually('a file', () => files().length, 1);
    await choose('on', 'Show What Is Recorded');
    const shown = editor.page.locator('.monaco-editor .view-line', { hasText: 'setContent' });
    await shown.first().waitFor();
    await editor.shot('recording');
    await choose('on', 'Open the Newest File');
    await editor.page.locator('.tab.active', { hasText: '.jsonl' }).waitFor();
    await choose('on', 'Stop Recording');
    await editor.tells('the recorder is off');
    assert.equal(read(config).trim(), '');
    await choose('off', 'Delete the Recording…');
    await editor.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Delete' }).click();
    await eventually('no file', () => files().length, 0);
  });

  await scene('nothing shown for a while is explained once, and the rows of why can be acted upon', async () => {
    const { editor, program } = await open({ files: { 'notes.rs': '// \n' }, simulator: false });
    await running(program);
    await editor.go(1, 4);
    await editor.type('q'.repeat(210), 5);
    await editor.says('no suggestions for a while');
    await editor.shot('silence');
    await editor.button('Why?');
    await eventually('advice', async () => (await editor.choices())[0]?.includes('→ Set up a model'), true);
    await editor.shot('why-advice');
    await editor.press('Enter');
    await eventually('providers', async () => (await editor.choices()).some((row) => row.includes('OpenAI')), true);
  });

  await scene('selection offers what can be done with it', async () => {
    const text = 'fn area(width: u32) -> u32 {\n    width * width\n}\n';
    const { editor, program } = await open({ files: { 'area.rs': text } });
    await running(program);
    await editor.go(1, 1);
    const actions = editor.page.locator('.action-widget');
    const prompt = actions.getByText('Tandem: rewrite…');
    await eventually(
      'the actions',
      async () => {
        // Esc closes the menu, and ends the selection.
        await editor.press('Escape', 'Control+a', 'Control+.');
        await sleep(1000);
        return prompt.isVisible();
      },
      true,
    );
    for (const job of ['explain', 'document', 'simplify', 'review', 'write tests for']) {
      await actions.getByText(`Tandem: ${job} this code`).waitFor();
    }
    await editor.shot('selection-actions');
    await prompt.click();
    const title = editor.page.locator('.quick-input-widget:visible .quick-input-title');
    await eventually('what is named', () => title.textContent(), 'Rewrite `fn area` (lines 1–3)');
    await editor.press('Escape');
  });

  await scene('model is set up from the status menu, and its key goes into the keychain', async () => {
    const bin = path.join(scratch, 'keychain');
    fs.mkdirSync(bin, { recursive: true });
    const keychain = `#!/bin/sh\ncase $1 in\nstore) cat >${bin}/key ;;\nlookup) cat ${bin}/key ;;\nesac\n`;
    fs.writeFileSync(path.join(bin, 'secret-tool'), keychain, { mode: 0o755 });
    const { editor, program } = await open({
      files: { 'shape.rs': SHAPE },
      simulator: false,
      settings: { 'tandem.environment': { PATH: `${bin}:/usr/bin:/bin` } },
    });
    await running(program);
    // Not 127.0.0.1, where no key is asked for.
    const { url } = await simulate(['--listen', '127.0.0.2:0', '--api-key', 'sk-scene'], path.join(scratch, 'set-up'));
    await editor.command('Tandem: Menu');
    await editor.shot('menu-local');
    await editor.choose('Set Up a Model…');
    await eventually('providers', async () => (await editor.choices()).some((row) => row.includes('OpenAI')), true);
    await editor.shot('setup-providers');
    await editor.type('Another');
    await editor.choose('Another server');
    await editor.fill('Set Up a Model: Base URL', url);
    await editor.press('Enter');
    await editor.fill('Set Up a Model: Key', 'sk-scene');
    await editor.shot('setup-key');
    await editor.press('Enter');
    await eventually('models', async () => (await editor.choices()).some((row) => row.includes('swift-coder-2')), true);
    await editor.shot('setup-models');
    await editor.choose('swift-coder-2');
    await editor.says('Tandem now uses swift-coder-2. It answered in');
    await editor.shot('setup-done');
    await eventually('the model', () => editor.status(), 'swift-coder-2');
    assert.equal(read(path.join(bin, 'key')), 'sk-scene');
    assert.ok(!read(config).includes('sk-scene'));
  });

  await scene('unreachable model is shown in the status bar and reported once', async () => {
    const { editor, program } = await open({
      files: { 'shape.rs': SHAPE },
      simulator: ['--fault', 'refuse-503'],
    });
    await running(program);
    await editor.go(4, 5);
    await editor.type('self.height');
    await eventually('offline', () => editor.status(), 'Tandem: offline');
    await editor.type(' = ', 200);
    await sleep(1000);
    assert.ok((await editor.said()).length <= 1, `${await editor.said()}`);
    await editor.shot('offline');
    await editor.command('Tandem: Why Is There No Suggestion?');
    const first = async () => (await editor.choices())[0] ?? '';
    await eventually('why', async () => (await first()).includes('no fast model answers'), true);
    await editor.shot('offline-why');
    await editor.press('Escape');
    // What the message names for the command line has a button here.
    await editor.says('run `tandem doctor`');
    await editor.button('Doctor');
    await editor.page.locator('.tab', { hasText: /^Doctor/ }).waitFor();
    await eventually(
      'the doctor',
      async () => (await editor.lines()).some((it) => it.includes('swift-coder-2 at test')),
      true,
    );
    await editor.shot('doctor');
  });

  await scene('spent budget of the day is raised by a button', async () => {
    const provider = '[budget]\nday_tokens = 1\n';
    const { editor, program } = await open({ files: { 'shape.rs': SHAPE }, provider });
    await running(program);
    await editor.go(4, 5);
    await editor.type('self.height = ');
    await sleep(1000);
    await editor.press('Escape');
    await editor.type('x', 500);
    await editor.says('`budget.day_tokens` is reached');
    await editor.shot('budget');
    await editor.button('Raise for Today');
    await editor.says('the budget is 2 tokens until the day (UTC) ends');
  });

  await scene('language turned off in the menu is off at once, and so says the status bar', async () => {
    const { editor, program } = await open({ files: { 'shape.rs': SHAPE } });
    await running(program);
    await eventually('the model', () => editor.status(), 'swift-coder-2');
    const choose = async (label: string) => {
      await editor.page.locator('.statusbar-item[id$="tandem.status"]').first().click();
      await editor.choose(label);
    };
    // Less than the time after which the status is asked for anyhow.
    const soon = async (expected: string) => {
      const end = Date.now() + 8000;
      while ((await editor.status()) !== expected && Date.now() < end) {
        await sleep(50);
      }
      assert.equal(await editor.status(), expected);
    };
    await choose('Turn Off for rust');
    await soon('Tandem: off for this language');
    await editor.shot('language-off');
    await choose('Turn On for rust');
    await soon('swift-coder-2');
  });

  await scene('missing key is named once, and the local engine answers', async () => {
    const { editor, program, asked } = await open({
      files: { 'shape.rs': SHAPE, 'b.rs': SHAPE },
      provider: 'api_key_env = "MISSING_KEY"',
    });
    await running(program);
    await editor.says('MISSING_KEY');
    await editor.shot('no-key');
    await editor.go(4, 5);
    await editor.type('self.height = ');
    await eventually('ghost text', () => editor.ghost(), 'height;');
    await editor.page.locator('.explorer-viewlet .monaco-list-row', { hasText: 'b.rs' }).dblclick();
    await eventually('it is open', () => program.params('textDocument/didOpen').length, 2);
    await editor.go(4, 5);
    await editor.type('self.height = ');
    await eventually('ghost text', () => editor.ghost(), 'height;');
    const named = (await editor.said()).filter((it) => it.includes('MISSING_KEY'));
    assert.ok(named.length <= 1, named.join('\n'));
    assert.equal(asked(), 0);
  });

  await scene('document that is no file is not opened, and a request there gets a message', async () => {
    const { editor, program } = await open({ files: { 'a.rs': 'a\n' } });
    await running(program);
    await editor.command('Preferences: Open Default Settings (JSON)');
    await editor.page.locator('.tab.active', { hasText: 'defaultSettings' }).waitFor();
    await editor.command('Tandem: Rewrite…');
    await editor.says('only local and unsaved files can be rewritten, and this one is `vscode`');
    assert.equal((await editor.said()).length, 1);
    const opened = program.params('textDocument/didOpen').map((it) => new URL(it.textDocument.uri).protocol);
    assert.deepEqual(opened, ['file:']);
  });

  await scene('changed settings are sent to the running server', async () => {
    const { program } = await open({ files: { 'shape.rs': SHAPE } });
    await running(program);
    vscode.configure({
      'tandem.path': program.path,
      'tandem.maxGhostLines': 3,
      'tandem.configuration': { speculate: false },
    });
    await eventually('settings', () => program.params('workspace/didChangeConfiguration').at(-1)?.settings, {
      tandem: { speculate: false, max_ghost_lines: 3 },
    });
    assert.equal(program.pids().length, 1);
  });

  await scene('large and read-only files lead to at most one message', async () => {
    const { editor, program } = await open({
      files: { 'large.rs': `${SHAPE}// ${'x'.repeat(100)}\n`.repeat(50), 'fixed.rs': SHAPE },
      settings: { 'tandem.configuration': { max_file_bytes: 2000 }, 'files.readonlyInclude': { '**/fixed.rs': true } },
    });
    await running(program);
    await editor.go(4, 5);
    await editor.type('self.height = self.width');
    await sleep(500);
    assert.equal(await editor.ghost(), '');
    const about = (await editor.said()).filter((it) => it.includes('large.rs'));
    assert.ok(about.length <= 1, about.join('\n'));
    await editor.page.locator('.explorer-viewlet .monaco-list-row', { hasText: 'fixed.rs' }).dblclick();
    await eventually(
      'it is open',
      () => program.params('textDocument/didOpen').some((it) => it.textDocument.uri.endsWith('fixed.rs')),
      true,
    );
    await editor.press('Control+Alt+r');
    await sleep(300);
    assert.deepEqual(await editor.choices(), []);
  });

  await everywhere('`tandem.configuration` is checked as the settings are written', async () => {
    const written = (configuration: object) => JSON.stringify({ 'tandem.configuration': configuration }, null, 2);
    const { editor } = await open({
      // Where VS Code looks for the user's, seen from the end of the path.
      files: {
        'User/settings.json': written({ eagerness: 'huge', fast: { candidates: [{ provider: 'p', modell: 'm' }] } }),
      },
    });
    await editor.command('Problems: Focus on Problems View');
    const problems = editor.page.locator('.markers-panel .monaco-list-row .marker-message-details-container');
    await eventually(
      'problems',
      async () => (await problems.allTextContents()).map((it) => it.replace(/\d*\[Ln .*$/, '')),
      ['Value is not accepted. Valid values: "low", "medium", "high".', 'Property modell is not allowed.'],
    );
    await editor.shot('schema');
  });

  await everywhere('another extension with ghost text is named once, with a remedy', async () => {
    const { editor } = await open({ files: { 'shape.rs': SHAPE, 'other-is-active': '' } });
    await editor.says('Other also draws ghost text');
    await editor.shot('two');
    await editor.button('Turn Tandem’s Off');
    await editor.page.reload();
    await editor.page.locator('.tab.active', { hasText: 'shape.rs' }).waitFor();
    await sleep(7000);
    assert.deepEqual(await editor.said(), []);
  });
} finally {
  await end();
}
finish();
