// What Tab does with this on screen: every row of the table in editors/protocol.md, "What Tab does".

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './check.ts';
import {
  AREA,
  everywhere,
  open,
  renamed,
  running,
  SHAPE,
  scene,
  WITH_LIST,
  withGhost,
  with_,
  type World,
} from './world.ts';

/** Longer than VS Code and the server wait before they show ghost text. */
const GHOST_MS = 1500;

/** A file in which the word at a place was typed over, letter by letter. */
async function retyped(file: string, text: string, [line, column]: [number, number], word: string): Promise<World> {
  const it = await open({ files: { [file]: text }, simulator: false, settings: WITH_LIST });
  await running(it.program);
  await it.editor.go(line, column);
  await it.editor.press('Control+Shift+ArrowRight');
  await it.editor.type(word);
  return it;
}

const menu = (it: World) => it.editor.page.locator('.suggest-widget.visible .monaco-list-row.focused');

export async function tabScenes(): Promise<void> {
  await everywhere('nothing on screen: Tab is the editor’s own', async () => {
    const { editor, program } = await open({ files: { 'area.rs': AREA }, simulator: false });
    await running(program);
    await editor.go(2, 5);
    await editor.press('Tab');
    await editor.reads('area.rs', AREA.replace('    let', '        let'));
  });

  await everywhere('next edit elsewhere, next edit here: Tab jumps, then applies', async () => {
    const { editor, program } = await renamed();
    await editor.shot('next-edit-far');
    await editor.press('Tab');
    await eventually('the cursor', async () => (await editor.position()).split(',')[0], 'Ln 2');
    await eventually('the hint', () => editor.hint(), 'Tab: apply');
    assert.equal(await editor.lines().then((lines) => lines[1]?.includes('width')), true);
    await editor.shot('next-edit');
    await editor.press('Tab');
    await eventually('the next hint', () => editor.hint(), 'Tab: ↓ line 4');
    await eventually('accepted', () => program.commands('tandem.accept').length, 1);
    await editor.press('Tab');
    await eventually('the cursor', async () => (await editor.position()).split(',')[0], 'Ln 4');
    await editor.press('Tab');
    await editor.reads('area.rs', AREA.replaceAll('width', 'breadth'));
    await eventually('nothing is left', () => editor.decorations(), []);
  });

  await everywhere('chain of next edits: ghost text never takes its place', async () => {
    // The model has something to add wherever an edit was applied.
    const { editor, asked } = await renamed({ script: [{ when: 'fn area', reply: ' + half' }] });
    const seen = new Set<string>();
    const watch = async () => {
      for (const end = Date.now() + GHOST_MS; Date.now() < end; await sleep(30)) {
        seen.add(await editor.ghost());
      }
    };
    for (const line of [2, 4]) {
      await watch();
      assert.equal(await editor.hint(), `Tab: ↓ line ${line}`);
      await editor.press('Tab');
      await eventually('the hint', () => editor.hint(), 'Tab: apply');
      await editor.press('Tab');
      await eventually('the next hint', () => editor.hint(), line === 2 ? 'Tab: ↓ line 4' : '');
    }
    await watch();
    assert.deepEqual([...seen], ['']);
    await editor.reads('area.rs', AREA.replaceAll('width', 'breadth'));
    // Typing on, the user gets ghost text again.
    const before = asked();
    await editor.type(' ');
    await eventually('a request', () => asked() > before, true);
  });

  await everywhere('open menu with a next edit: the hint names the other key, and Tab takes the entry', async () => {
    const text = 'def get(self, name: str):\n    key_of = 1\n    return self.all[name]\n';
    const it = await retyped('get.py', text, [1, 15], 'key');
    const { editor } = it;
    await menu(it).waitFor();
    await eventually('the hint', () => editor.hint(), 'Ctrl+Alt+.: ↓ line 3');
    await editor.shot('tab-menu');
    await editor.press('Tab');
    await editor.reads('get.py', text.replace('name', 'key_of'));
  });

  await everywhere('menu that closes over a next edit: the hint names Tab again', async () => {
    const text = 'def get(self, name: str):\n    key_of = 1\n    return self.all[name]\n';
    const it = await retyped('get.py', text, [1, 15], 'key');
    const { editor } = it;
    await menu(it).waitFor();
    await eventually('the hint', () => editor.hint(), 'Ctrl+Alt+.: ↓ line 3');
    await editor.press('Escape');
    await eventually('the hint', () => editor.hint(), 'Tab: ↓ line 3');
    await editor.press('Tab');
    await eventually('the cursor', async () => (await editor.position()).split(',')[0], 'Ln 3');
    await editor.press('Tab');
    await editor.reads('get.py', text.replaceAll('name', 'key'));
  });

  await everywhere(
    'menu opened by a key over a next edit: the hint names the other key, and Tab takes the entry',
    async () => {
      const it = await renamed();
      const { editor } = it;
      await editor.go(2, 9);
      await editor.press('Control+Space');
      await menu(it).waitFor();
      await eventually('the hint', () => editor.hint(), 'Ctrl+Alt+.: apply');
      await editor.press('Escape');
      await eventually('the hint', () => editor.hint(), 'Tab: apply');
      await editor.press('Control+Space');
      await menu(it).waitFor();
      await eventually('the hint', () => editor.hint(), 'Ctrl+Alt+.: apply');
      await editor.press('Tab');
      await editor.page.locator('.suggest-widget.visible').waitFor({ state: 'hidden' });
      assert.match(await editor.position(), /^Ln 2/);
      const renamedOnce = AREA.replace('width:', 'breadth:');
      await eventually('a word came', async () => (await editor.saved('area.rs')) === renamedOnce, false);
    },
  );

  await everywhere(
    'snippet with fields and a next edit: the hint names the other key, and Tab goes to the next field',
    async () => {
      const snippets = { parameter: { prefix: 'parm', body: 'breadth: $1u32' } };
      const it = await open({
        files: { 'area.rs': AREA, '.vscode/all.code-snippets': JSON.stringify(snippets) },
        simulator: false,
        settings: WITH_LIST,
      });
      const { editor } = it;
      await running(it.program);
      await editor.go(1, 9);
      for (let i = 0; i < 'width: u32'.length; i += 1) {
        await editor.press('Shift+ArrowRight');
      }
      await editor.type('parm');
      await menu(it).filter({ hasText: 'parm' }).waitFor();
      await editor.press('Enter');
      await eventually('the hint', () => editor.hint(), 'Ctrl+Alt+.: ↓ line 2');
      await editor.shot('tab-snippet');
      await editor.press('Tab');
      await eventually('the cursor', () => editor.position(), 'Ln 1, Col 21');
      await eventually('the hint', () => editor.hint(), 'Tab: ↓ line 2');
      await editor.reads('area.rs', AREA.replace('width:', 'breadth:'));
    },
  );

  await everywhere('ghost text: Tab accepts it, in the indentation, too', async () => {
    const { editor, program } = await open({
      files: { 'main.rs': 'fn main() {\n\n}\n' },
      script: [{ when: 'fn main', reply: '        loop {}' }],
    });
    await running(program);
    await editor.go(2, 1);
    await editor.press('Alt+\\');
    await eventually('ghost text', async () => (await editor.ghost()).includes('loop {}'), true);
    const ghost = await editor.ghost();
    await editor.press('Tab');
    await editor.reads('main.rs', `fn main() {\n${ghost}\n}\n`);
    await eventually('accepted', () => program.commands('tandem.accept').length, 1);
  });

  await everywhere('line accepted of ghost text: the cursor stands behind the next one’s indentation', async () => {
    const { editor, program } = await open({
      files: { 'main.rs': 'fn main() {\n    \n}\n' },
      script: [{ when: 'fn main', reply: '{\n        println!("a");\n    }' }],
      settings: { 'workbench.colorTheme': 'Default Dark Modern' },
    });
    await running(program);
    await editor.go(2, 5);
    await editor.type('loop ');
    await eventually('ghost text', () => editor.ghost(), '{\n        println!("a");\n    }');
    await editor.shot('ghost-lines-dark');
    await editor.press('Control+Alt+ArrowRight');
    await eventually('a part', () => program.params('tandem/didPartiallyAccept').length > 0, true);
    await eventually('the cursor', () => editor.position(), 'Ln 3, Col 9');
    await eventually('the rest', () => editor.ghost(), 'println!("a");\n    }');
    await editor.shot('ghost-line-accepted');
    await editor.press('Tab');
    await eventually('all of it', () => program.commands('tandem.accept').length, 1);
    await editor.reads('main.rs', 'fn main() {\n    loop {\n        println!("a");\n    }\n}\n');
  });

  await scene('invoked ghost text covers a next edit, which comes back when it is dismissed', async () => {
    const { editor } = await renamed({ script: [{ when: 'fn area', reply: ' + half' }] });
    await editor.go(4, 17);
    await eventually('the hint', () => editor.hint(), 'Tab: ↑ line 2');
    await editor.press('Alt+\\');
    await eventually('ghost text', () => editor.ghost(), ' + half');
    await eventually('no hint', () => editor.hint(), '');
    await editor.shot('tab-ghost-covers');
    await editor.press('Escape');
    await eventually('no ghost text', () => editor.ghost(), '');
    await eventually('the hint', () => editor.hint(), 'Tab: ↑ line 2');
  });

  await scene(
    'next edit with the cursor in the indentation: the hint names the other key, and Tab indents',
    async () => {
      const { editor } = await renamed();
      await editor.go(5, 1);
      await eventually('the hint', () => editor.hint(), 'Ctrl+Alt+.: ↑ line 2');
      await editor.press('Tab');
      await editor.reads('area.rs', AREA.replace('width:', 'breadth:').replace('\n}', '\n    }'));
    },
  );

  await scene('next edit with a selection: the hint names the other key, and Tab indents', async () => {
    const { editor } = await renamed();
    await editor.press('Shift+Home');
    await eventually('the hint', () => editor.hint(), 'Ctrl+Alt+.: ↓ line 2');
    await editor.press('Control+Alt+.', 'Control+Alt+.');
    await editor.reads('area.rs', AREA.replace('width:', 'breadth:').replace('width /', 'breadth /'));
  });

  await scene('next edit dismissed with Escape is reported, and Tab is the editor’s own again', async () => {
    const { editor, program } = await renamed();
    await editor.press('Escape');
    await eventually('nothing', () => editor.decorations(), []);
    await eventually('rejected', () => program.commands('tandem.reject').length, 1);
    await editor.press('Tab');
    await editor.reads('area.rs', AREA.replace('width:', 'breadth :'));
  });

  await scene('dismissed next edit is shown again on request, and leads on', async () => {
    const { editor } = await renamed();
    await editor.press('Escape');
    await eventually('nothing', () => editor.decorations(), []);
    await editor.command('Tandem: Show the Last Dismissed Suggestion Again');
    await eventually('the hint', () => editor.hint(), 'Tab: ↓ line 2');
    await editor.press('Tab');
    await eventually('the hint', () => editor.hint(), 'Tab: apply');
    await editor.press('Tab');
    await eventually('the next hint', () => editor.hint(), 'Tab: ↓ line 4');
  });

  await scene('dismissed ghost text is shown again on request', async () => {
    const { editor, program } = await withGhost({ simulator: false });
    await editor.press('Escape');
    await eventually('nothing', () => editor.ghost(), '');
    await eventually('dismissed', () => program.commands('tandem.reject').length, 1);
    await editor.command('Tandem: Show the Last Dismissed Suggestion Again');
    await eventually('ghost text', () => editor.ghost(), 'height;');
    await editor.press('Tab');
    await editor.reads('shape.rs', with_('self.height = height;'));
  });

  await everywhere('all remaining next edits are applied by one key, and taken back by one undo', async () => {
    const { editor, program } = await renamed();
    await editor.press('Control+Alt+Shift+.');
    await editor.reads('area.rs', AREA.replaceAll('width', 'breadth'));
    await eventually('accepted', () => program.commands('tandem.accept').length, 2);
    await eventually('nothing is left', () => editor.decorations(), []);
    await editor.press('Control+z');
    await editor.reads('area.rs', AREA.replace('width:', 'breadth:'));
  });

  await everywhere(
    'rename is made by the language’s own extension in all files, and taken back by one undo',
    async () => {
      const shape = 'pub fn area(side: u32) -> u32 {\n    area(side)\n}\n';
      const main = 'use crate::shape::area;\n\nfn main() {\n    area(2);\n}\n';
      const { editor, program } = await open({
        files: { 'shape.rs': shape, 'main.rs': main, 'renamer-is-active': '' },
        simulator: false,
        settings: { 'tandem.nextEdit.renameTimeout': 60_000 },
      });
      await running(program);
      await editor.go(1, 8);
      await editor.press('Control+Shift+ArrowRight');
      await editor.page.keyboard.insertText('surface');
      await eventually('the next edit', () => editor.hint(), 'Tab: ↓ line 2 · 2 more in 1 file: Ctrl+Alt+Shift+.');
      await editor.press('Control+Alt+Shift+.');
      await editor.tells('renamed area to surface in 2 files');
      const done = shape.replaceAll('area', 'surface');
      await editor.reads('shape.rs', done);
      await editor.shot('renamed');
      await eventually('accepted', () => program.commands('tandem.accept').length, 1);
      await eventually('nothing is left', () => editor.decorations(), []);
      await editor.press('Control+z');
      await editor.reads('shape.rs', shape.replace('area', 'surface'));
      await editor.press('Control+Shift+z');
      await editor.reads('shape.rs', done);
      const row = editor.page.locator('.explorer-viewlet .monaco-list-row', { hasText: 'main.rs' });
      await row.dblclick();
      await editor.page.locator('.tab.active', { hasText: 'main.rs' }).waitFor();
      await editor.reads('main.rs', main.replaceAll('area', 'surface'));
    },
  );

  await everywhere('rename that the language’s own extension does not answer is made by us', async () => {
    const { editor } = await renamed({
      files: { 'area.rs': AREA, 'renamer-is-active': '' },
      simulator: false,
      settings: { 'tandem.nextEdit.renameTimeout': 300 },
    });
    await editor.press('Control+Alt+Shift+.');
    await editor.tells('applied 2 edits');
    await editor.reads('area.rs', AREA.replaceAll('width', 'breadth'));
    await editor.press('Control+z');
    await editor.reads('area.rs', AREA.replace('width:', 'breadth:'));
    await editor.press('Control+z');
    await editor.reads('area.rs', AREA);
  });

  await everywhere('typing stops a rename by the language’s own extension, and nothing typed is lost', async () => {
    const { editor } = await renamed({
      files: { 'area.rs': AREA, 'renamer-is-active': '' },
      simulator: false,
      settings: { 'tandem.nextEdit.renameTimeout': 600_000 },
    });
    await editor.press('Control+Alt+Shift+.');
    await eventually('the name is put back', async () => (await editor.line(1)).includes('width:'), true);
    await editor.type('ab');
    await editor.tells('because you kept typing');
    const stopped = AREA.replace('width:', 'breadthab:');
    await editor.reads('area.rs', stopped);
  });

  for (const theme of ['Light', 'Dark']) {
    await scene(
      `hint on a line that is wider than the view is in view, in a ${theme.toLowerCase()} theme`,
      async () => {
        const text = `fn area(width: u32, ${'height: u32, '.repeat(12)}) {\n    width\n}\n`;
        const it = await open({
          files: { 'area.rs': text },
          simulator: false,
          settings: { 'workbench.colorTheme': `Default ${theme} Modern` },
        });
        const { editor } = it;
        await running(it.program);
        await editor.go(1, 9);
        await editor.press('Control+Shift+ArrowRight');
        await editor.page.keyboard.insertText('breadth');
        await eventually('the hint', () => editor.hint(), 'Tab: ↓ line 2');
        assert.equal(await editor.isHintInView(), true);
        await editor.shot(`hint-long-line-${theme.toLowerCase()}`);
        await editor.press('End');
        await eventually('the hint', () => editor.isHintInView(), true);
        await editor.shot(`hint-long-line-end-${theme.toLowerCase()}`);
      },
    );
  }

  await scene('ghost text after typing on from a next edit is shown again', async () => {
    const { editor, program } = await open({ files: { 'shape.rs': SHAPE }, simulator: false });
    await running(program);
    await editor.go(1, 8);
    await editor.press('Control+Shift+ArrowRight');
    await editor.page.keyboard.insertText('breadth');
    await eventually('the next edit', async () => (await editor.hint()) !== '', true);
    await editor.go(4, 5);
    await editor.type('self.height = ');
    await eventually('ghost text', () => editor.ghost(), 'height;');
    assert.equal(await editor.hint(), '');
  });
}
