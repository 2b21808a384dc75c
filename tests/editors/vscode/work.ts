// What a person asks for: questions, jobs of a pair, and changes of many files.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { eventually } from './check.ts';
import { everywhere, open, running, scene, vscode, type World } from './world.ts';

const ONE = 'def one():\n    return 1\n';

/** Runs a command that asks for words in a box. */
async function ask({ editor }: World, command: string, words: string): Promise<void> {
  await editor.command(command);
  const box = editor.page.locator('.quick-input-widget:visible .quick-input-box input');
  await box.and(editor.page.locator(':not([value^=">"])')).waitFor();
  await editor.page.locator('.quick-input-widget:visible .quick-input-message, .quick-input-title').first().waitFor();
  await box.fill(words);
  await editor.press('Enter');
}

/** Waits for a line in some editor. */
async function has({ editor }: World, line: string): Promise<void> {
  await editor.page.locator('.monaco-editor .view-line', { hasText: line }).first().waitFor();
}

/** A workspace whose names are known. */
async function known(it: World): Promise<void> {
  await running(it.program);
  const walked = () => {
    const log = vscode.log('Tandem.log');
    return log.includes(it.program.path) && log.includes('the workspace was walked');
  };
  await eventually('the index', walked, true);
}

const PLAN = [
  { when: 'You plan', reply: '```\n1. edit `a.rs`: make it three\n2. create `tests/b.rs`: hold four\n```\n' },
  { when: 'The file: a.rs', reply: '<<<<<<< SEARCH\nlet a = 1;\n=======\nlet a = 3;\n>>>>>>> REPLACE\n' },
  { when: 'The new file: tests/b.rs', reply: '```rust\nfn four() {}\n```\n' },
];

/** A plan on screen, to be edited. */
async function planned(): Promise<World> {
  const it = await open({ files: { 'a.rs': 'let a = 1;\nlet b = 2;\n' }, script: PLAN });
  await known(it);
  await ask(it, 'Tandem: Change Many Files…', 'count');
  await it.editor.page.locator('.tab.active', { hasText: /^Plan/ }).waitFor();
  await has(it, 'hold four');
  return it;
}

export async function workScenes(): Promise<void> {
  await everywhere('question about the workspace is answered in words, and its places can be clicked', async () => {
    const it = await open({
      files: { 'shape.rs': 'fn main() {\n    area();\n}\nfn area() {}\n' },
      script: [{ when: 'You answer a question', reply: 'It is at shape.rs:4, and shape.rs:9.\n' }],
    });
    await known(it);
    await ask(it, 'Tandem: Ask About the Workspace…', 'where is the area?');
    // The lines are wrapped.
    await has(it, 'It is at shape.rs:4');
    await has(it, '[no line 9');
    await it.editor.shot('answer');
    const link = it.editor.page.locator('.detected-link', { hasText: 'shape.rs:4' }).first();
    await link.click({ modifiers: ['Control'] });
    await it.editor.page.locator('.active-line-number', { hasText: '4' }).waitFor();
    assert.equal(await it.editor.page.locator('.tab', { hasText: /^Answer/ }).count(), 1);
  });

  await scene('question about the workspace without a model lists definitions', async () => {
    const it = await open({ files: { 'shape.rs': 'fn area() {}\n' }, simulator: false });
    await known(it);
    await ask(it, 'Tandem: Ask About the Workspace…', 'area');
    await has(it, '- shape.rs:1: fn area()');
  });

  await everywhere('message of a commit is written into the box of Source Control', async () => {
    const script = [{ when: 'You write the message', reply: 'Return one\n\nIt was asked for.\n' }];
    const { editor, program } = await open({ files: { 'a.py': ONE }, isStaged: true, script });
    await running(program);
    await editor.page
      .locator('.activitybar .action-label[aria-label^="Source Control"]')
      .first()
      .click({ force: true });
    const box = editor.page.locator('.scm-view .scm-editor .view-lines').first();
    const words = async () => ((await box.textContent()) ?? '').replaceAll('\u00a0', ' ');
    await box.click();
    await editor.type('mine');
    await eventually('what is typed', words, 'mine');
    const button = editor.page.getByRole('button', { name: 'Write the Commit Message' }).first();
    await button.click();
    await eventually('the message', words, 'Return oneIt was asked for.');
    await editor.shot('commit-message');
    await editor.says('the message that was in the box is replaced');
    await editor.button('Restore');
    await eventually('what was typed', words, 'mine');
  });

  await everywhere('message of a commit has ghost text from what is staged', async () => {
    const script = [{ when: 'You finish the message', reply: 'Return one' }];
    const { editor, program } = await open({ files: { 'a.py': ONE }, isStaged: true, script });
    await running(program);
    await editor.page
      .locator('.activitybar .action-label[aria-label^="Source Control"]')
      .first()
      .click({ force: true });
    const box = editor.page.locator('.scm-view .scm-editor .view-lines').first();
    await box.click();
    await editor.type('Re');
    await eventually('ghost text', () => editor.ghost(), 'turn one');
    await editor.shot('commit-ghost');
    await editor.press('Tab');
    const words = async () => ((await box.textContent()) ?? '').replaceAll('\u00a0', ' ');
    await eventually('the message', words, 'Return one');
  });

  await scene('definition at the cursor is explained on a page that fetches nothing', async () => {
    let fetched = 0;
    const pictures = http.createServer((_, response) => {
      fetched += 1;
      response.end();
    });
    await new Promise<void>((listening) => pictures.listen(0, '127.0.0.1', listening));
    const picture = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/canary.png`;
    const reply = `It is **one**.\n\n- with \`1\`\n\n![picture](${picture})\n`;
    const it = await open({ files: { 'a.py': ONE }, script: [{ when: 'return 1', reply }] });
    await running(it.program);
    await it.editor.focused();
    const refused: string[] = [];
    it.editor.page.on('requestfailed', (request) => refused.push(request.url()));
    await it.editor.command('Tandem: Explain This Code');
    const text = async (selector: string) => {
      const frames = it.editor.page.frames().map((frame) =>
        frame
          .locator(selector)
          .allTextContents()
          .catch(() => []),
      );
      return (await Promise.all(frames)).flat();
    };
    await eventually('what is emphasised', () => text('body > p strong'), ['one']);
    await eventually('the code', () => text('body > ul code'), ['1']);
    await it.editor.shot('explanation');
    await eventually('the picture', () => refused.includes(picture), true);
    pictures.close();
    assert.equal(fetched, 0);
  });

  await scene('code is documented like a rewrite', async () => {
    const documented = 'def one():\n    # The first.\n    return 1\n';
    const reply = `\`\`\`python\n${documented}\`\`\`\n`;
    const it = await open({ files: { 'a.py': ONE }, script: [{ when: 'Document this code', reply }] });
    await running(it.program);
    await it.editor.focused();
    await it.editor.command('Tandem: Document This Code');
    await it.editor.says('Rewritten by');
    await it.editor.button('Apply');
    await it.editor.reads('a.py', documented);
  });

  await scene('review makes problems of what it finds', async () => {
    const script = [{ when: 'You review code', reply: 'a.py:2: nothing reads it\n' }];
    const it = await open({ files: { 'a.py': ONE }, script });
    await running(it.program);
    await it.editor.focused();
    await it.editor.command('Tandem: Review This Code');
    await it.editor.tells('1 finding under Problems');
    await it.editor.page.locator('.monaco-editor .squiggly-info').first().waitFor();
  });

  await everywhere('plan is edited and run, and its change is applied to the ticked files', async () => {
    const it = await planned();
    const { editor } = it;
    await editor.shot('plan');
    await editor.press('Control+Enter');
    await editor.says('2 files change.');
    await editor.page.locator('.monaco-diff-editor .view-line', { hasText: 'let a = 3;' }).first().waitFor();
    await editor.shot('plan-preview');
    await editor.button('Apply');
    const row = editor.page.locator('.quick-input-widget:visible .monaco-list-row', { hasText: 'b.rs (new)' });
    await row.waitFor();
    await editor.shot('plan-files');
    await row.locator('input, .monaco-checkbox').first().click();
    await editor.page.locator('.quick-input-widget:visible .quick-input-action .monaco-button').first().click();
    await editor.page.locator('.tab.active', { hasText: 'a.rs' }).waitFor();
    await editor.reads('a.rs', 'let a = 3;\nlet b = 2;\n');
    assert.equal(fs.existsSync(path.join(editor.folder, 'tests/b.rs')), false);
    await editor.press('Control+z');
    await editor.reads('a.rs', 'let a = 1;\nlet b = 2;\n');
  });

  await scene('plan that leaves a caller broken is applied only after this was read, and then shown', async () => {
    const head = '# a line\n'.repeat(60);
    const it = await open({
      files: { 'a.py': `${head}def one():\n    return 1\n`, 'b.py': 'from a import one\n\nprint(one())\n' },
      settings: { 'files.autoSave': 'afterDelay' },
      script: [
        { when: 'You plan', reply: '```\n1. edit `a.py`: call it two\n```\n' },
        { when: 'The file: a.py', reply: '<<<<<<< SEARCH\ndef one():\n=======\ndef two():\n>>>>>>> REPLACE\n' },
      ],
    });
    const { editor } = it;
    await known(it);
    await ask(it, 'Tandem: Change Many Files…', 'call it two');
    await editor.page.locator('.tab.active', { hasText: /^Plan/ }).waitFor();
    await editor.press('Control+Enter');
    await editor.says('1 file changes; b.py:1: ');
    const dialog = editor.page.locator('.monaco-dialog-box', { hasText: 'the change is not complete' });
    await editor.button('Apply');
    await dialog.waitFor();
    await editor.shot('plan-finding');
    await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
    await editor.active('call it two');
    await editor.press('Control+Enter');
    await dialog.locator('.monaco-button', { hasText: 'Apply Anyway' }).click();
    await editor.tells('1 file is changed');
    assert.equal(await editor.page.locator('.statusbar-item', { hasText: 'not saved yet' }).count(), 0);
    await editor.active('a.py');
    await eventually('the change on screen', async () => (await editor.position()).startsWith('Ln 61, Col 1'), true);
    await editor.reads('a.py', `${head}def two():\n    return 1\n`);
  });

  await scene('rewrite that renames says which uses are left, and a plan goes on with them', async () => {
    const it = await open({
      files: { 'a.py': ONE, 'b.py': 'from a import one\n\nprint(one())\n' },
      script: [{ when: 'You plan', reply: '```\n1. edit `b.py`: call it two\n```\n' }],
    });
    const { editor } = it;
    await known(it);
    await editor.go(1, 5);
    await editor.instruct('rename one to two');
    await editor.press('Enter');
    await editor.says('2 lines in 1 file no longer fit: b.py:1,3');
    await editor.shot('rewrite-left');
    await editor.button('Apply');
    await editor.says('2 lines elsewhere no longer fit');
    await editor.button('Plan the Rest…');
    await editor.page.locator('.tab.active', { hasText: /^Plan/ }).waitFor();
    await has(it, 'call it two');
  });

  await scene('plan without a step, changed in its editor, changes the other file alone', async () => {
    const it = await planned();
    const { editor } = it;
    // The first step goes: everything from it to the second.
    await editor.press('Control+Home');
    for (let line = 0; line < 4; line += 1) {
      await editor.press('ArrowDown');
    }
    for (let line = 0; line < 5; line += 1) {
      await editor.press('Control+Shift+k');
    }
    await editor.page.locator('.tab.active.dirty').waitFor();
    await editor.press('Control+Enter');
    await editor.says('1 file changes.');
    await editor.button('Apply');
    await editor.page.locator('.tab.active', { hasText: 'b.rs' }).waitFor();
    await editor.reads('tests/b.rs', 'fn four() {}\n');
  });

  await everywhere('notebook cell has ghost text that uses a name of an earlier cell', async () => {
    const cell = (cell_type: string, source: string) => ({ cell_type, metadata: {}, source: [source] });
    const code = (source: string) => ({ ...cell('code', source), execution_count: null, outputs: [] });
    const notebook = {
      cells: [code('width_of_all = 3'), cell('markdown', '# Area'), code('')],
      metadata: { language_info: { name: 'python' } },
      nbformat: 4,
      nbformat_minor: 2,
    };
    const { editor, program } = await open({
      // A workbench that has just started opens a notebook as text.
      files: { 'a.txt': '', 'n.ipynb': JSON.stringify(notebook) },
      script: [{ when: 'width_of_all = 3\n\narea = ', reply: 'width_of_all * 2' }],
    });
    await running(program);
    await editor.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'n.ipynb' }).dblclick();
    await eventually('cells that are known', () => program.params('notebookDocument/didOpen').length, 1);
    await editor.page.locator('.cell-list-container .monaco-editor .view-lines').last().click();
    await editor.type('area = ');
    await eventually('ghost text', () => editor.ghost(), 'width_of_all * 2');
    await editor.shot('notebook');
    await editor.press('Tab');
    const saved = async () => (await editor.saved('n.ipynb')).includes('"area = width_of_all * 2"');
    await eventually('the text of the cell', saved, true);
  });

  await scene('plan that is cancelled changes nothing', async () => {
    const it = await open({
      files: { 'a.rs': 'let a = 1;\n' },
      script: [{ when: 'You plan', reply: '```\n1. edit `a.rs`: x\n```\n', ttft_ms: 600_000 }],
    });
    await known(it);
    await ask(it, 'Tandem: Change Many Files…', 'count');
    await eventually('the model is asked', () => it.asked() > 0, true);
    await it.editor.button('Cancel');
    await eventually('cancelled', () => it.program.params('$/cancelRequest').length > 0, true);
    await eventually('no message stays', async () => (await it.editor.said()).length, 0);
    await it.editor.reads('a.rs', 'let a = 1;\n');
  });
}
