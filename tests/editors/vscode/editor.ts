// The workbench in a browser, used as a person uses it: keys, and what is on screen.

import { type BrowserContext, chromium, errors, type Locator, type Page } from 'playwright-core';
import fs from 'node:fs';
import path from 'node:path';
import { eventually } from './check.ts';
import { read } from './processes.ts';

export async function browser(profile: string): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    viewport: { width: 1000, height: 640 },
    // Chromium's sandbox wants a user who is not root.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-sync',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  });
  context.setDefaultTimeout(30_000);
  return context;
}

/** A hint: a key, and what it does. */
const HINT = /^(Tab|Ctrl\+Alt\+\.): /;

/** Where one types in the palette and its like. */
const BOX = '.quick-input-widget:visible .quick-input-box input';

/** Whether something comes on screen in time. */
async function appears(what: Locator, milliseconds: number): Promise<boolean> {
  try {
    await what.waitFor({ timeout: milliseconds });
    return true;
  } catch (error) {
    if (error instanceof errors.TimeoutError) {
      return false;
    }
    throw error;
  }
}

export class Editor {
  readonly page: Page;
  /** The workspace's folder. */
  readonly folder: string;
  private readonly artefacts: string;

  private constructor(page: Page, folder: string, artefacts: string) {
    this.page = page;
    this.folder = folder;
    this.artefacts = artefacts;
  }

  /** Loads the workbench with a folder, and with a file of it. */
  static async open(
    context: BrowserContext,
    port: string,
    folder: string,
    file: string,
    artefacts: string,
  ): Promise<Editor> {
    const page = context.pages()[0] ?? (await context.newPage());
    const payload = JSON.stringify([['openFile', `vscode-remote://127.0.0.1:${port}${path.join(folder, file)}`]]);
    await page.goto(`http://127.0.0.1:${port}/?folder=${folder}&payload=${encodeURIComponent(payload)}`);
    const editor = new Editor(page, folder, artefacts);
    await page.locator('.tab.active', { hasText: path.basename(file) }).waitFor({ timeout: 60_000 });
    await page.locator('.monaco-editor .view-line').first().waitFor();
    return editor;
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string, delay = 15): Promise<void> {
    await this.page.keyboard.type(text, { delay });
  }

  /** Puts the cursor on a line and column, both counted from 1, as in the status bar. */
  async go(line: number, column: number): Promise<void> {
    const wanted = `Ln ${line}, Col ${column}`;
    const input = this.page.locator(BOX);
    await this.opens(input, 'Control+g');
    await input.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await eventually('the cursor', async () => (await this.position()).startsWith(wanted), true);
    await this.focused();
  }

  /** Waits until a tab is the active one and takes what is typed. */
  async active(name: string): Promise<void> {
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
    await this.focused();
  }

  /** Waits until what is typed goes into the text. */
  async focused(): Promise<void> {
    await this.page.locator('.editor-instance .monaco-editor.focused').first().waitFor();
  }

  /** Presses a key until something is on screen: a workbench that is still busy starting loses one now and then. */
  private async opens(what: Locator, key: string): Promise<void> {
    await eventually(
      `what ${key} opens`,
      async () => {
        await this.press(key);
        return appears(what, 3000);
      },
      true,
    );
  }

  async position(): Promise<string> {
    return (await this.page.locator('.statusbar-item[id="status.editor.selection"]').textContent()) ?? '';
  }

  /**
   * Runs a command by its name in the palette.
   *
   * The palette lists what can be run at the moment when it is asked, and does not look again. Some commands come
   * seconds after the page (those for trust do), so it is opened until it has the command, and has it chosen.
   */
  async command(name: string): Promise<void> {
    const input = this.page.locator(BOX);
    const row = this.page.locator('.quick-input-widget:visible .monaco-list-row.focused', { hasText: name });
    await eventually(
      `the command ${name}`,
      async () => {
        await this.opens(input, 'F1');
        await input.fill(`>${name}`);
        if (await appears(row, 1500)) {
          return true;
        }
        await this.press('Escape');
        return false;
      },
      true,
    );
    await this.press('Enter');
  }

  /** Runs a command in the terminal, which is opened if need be. */
  async terminal(command: string): Promise<void> {
    const shell = this.page.locator('.terminal-wrapper .xterm-helper-textarea').first();
    if ((await shell.count()) === 0) {
      await this.command('Terminal: Create New Terminal');
      await shell.waitFor({ state: 'attached' });
      // The mark beside a prompt: before it, what the shell runs is no command to VS Code.
      await this.page.locator('.terminal-command-decoration').first().waitFor({ state: 'attached' });
    }
    await shell.focus();
    await this.type(command);
    await this.press('Enter');
  }

  /** Asks for a rewrite by the box; the last key is left to the caller. */
  async instruct(instruction: string): Promise<void> {
    await this.focused();
    await this.opens(this.page.locator(`${BOX}[placeholder^="Describe the change."]`), 'Control+Alt+r');
    await this.type(instruction);
  }

  /** Opens the menu of code actions, and waits for one. */
  async menu(action: string): Promise<void> {
    const item = this.page.locator('.action-widget').getByText(action);
    // What there is to do may not be known yet; the menu does not look again.
    await eventually(
      `the action ${action}`,
      async () => {
        await this.press('Escape', 'Control+.');
        return appears(item, 2000);
      },
      true,
    );
  }

  /** The ghost text on screen: what is drawn at the cursor, and the lines below it. */
  async ghost(): Promise<string> {
    return this.page.evaluate(() => {
      const inline = [
        ...document.querySelectorAll('.view-line .ghost-text-decoration, .view-line .ghost-text-decoration-preview'),
      ];
      const below = [...document.querySelectorAll<HTMLElement>('.suggest-preview-text .view-line')].sort(
        (a, b) => Number.parseFloat(a.style.top) - Number.parseFloat(b.style.top),
      );
      const first = inline.filter((element) => !element.closest('.suggest-preview-text'));
      return [first.map((it) => it.textContent).join(''), ...below.map((it) => it.textContent)]
        .join('\n')
        .replaceAll('\u00a0', ' ');
    });
  }

  /** A line as it is drawn, counted from 1 from the top of the screen. */
  async line(number: number): Promise<string> {
    return (await this.lines())[number - 1] ?? '';
  }

  /** The lines on screen, without what decorations add. */
  async lines(): Promise<string[]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.editor-instance .monaco-editor .view-lines .view-line')]
        .map((element) => ({ top: Number.parseFloat(element.style.top), text: element.textContent ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map(({ text }) => text.replaceAll('\u00a0', ' ')),
    );
  }

  /** What decorations add to lines: the content that CSS draws before and behind; in no order of its own. */
  async decorations(): Promise<string[]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.editor-instance .monaco-editor .view-line span')]
        .flatMap((element) => ['::before', '::after'].map((side) => getComputedStyle(element, side).content))
        .filter((content) => content !== 'none' && content !== 'normal')
        .map((content) => content.replace(/^"|"$/g, '').replaceAll('\u00a0', ' '))
        .sort()
        .reverse(),
    );
  }

  /** The label that names the key for the next edit; empty if there is none. */
  async hint(): Promise<string> {
    return (await this.decorations()).find((it) => HINT.test(it)) ?? '';
  }

  /** Whether that label is within the editor. */
  async isHintInView(): Promise<boolean> {
    return this.page.evaluate((pattern) => {
      const frame = document.querySelector('.editor-instance .monaco-editor .editor-scrollable');
      const label = [...document.querySelectorAll('.editor-instance .monaco-editor .view-line span')].find((element) =>
        new RegExp(pattern).test(getComputedStyle(element, '::after').content.replace(/^"|"$/g, '')),
      );
      if (!frame || !label) {
        return false;
      }
      // The label itself, which CSS draws, has no rectangle: it begins where its element ends, or ends there.
      const style = getComputedStyle(label, '::after');
      const width = Number.parseFloat(style.width);
      const at = label.getBoundingClientRect().right;
      const left = style.transform === 'none' ? at : at - width;
      const outer = frame.getBoundingClientRect();
      return left >= outer.left && left + width <= outer.right;
    }, HINT.source);
  }

  /** Saves, and gives what the file has then. */
  async saved(file: string): Promise<string> {
    await this.press('Control+s');
    return read(path.join(this.folder, file));
  }

  /** Saves until the file has this text. */
  async reads(file: string, expected: string): Promise<void> {
    await eventually(`the text of ${file}`, () => this.saved(file), expected);
  }

  /** The messages in the corner. */
  async said(): Promise<string[]> {
    return this.page
      .locator('.notification-toast .notification-list-item-message')
      .evaluateAll((all) => all.map((element) => element.textContent ?? ''));
  }

  /** Waits for a message. A busy workbench now and then hides it unseen: the list behind the bell has it still. */
  async says(words: string): Promise<void> {
    const message = this.page.locator('.notification-list-item-message:visible', { hasText: words }).first();
    if (await appears(message, 15_000)) {
      return;
    }
    const bell = this.page.locator('.statusbar-item[id="status.notifications"]');
    await bell.click();
    await message.waitFor();
    await bell.click();
  }

  /** Waits for a message in the status bar. */
  async tells(words: string): Promise<void> {
    await this.page.locator('.statusbar-item', { hasText: words }).first().waitFor();
  }

  async button(label: string): Promise<void> {
    await this.page.locator('.notification-toast .monaco-button', { hasText: label }).first().click();
  }

  /** Our item in the status bar. */
  async status(): Promise<string> {
    const item = this.page.locator('.statusbar-item[id$="tandem.status"]');
    return (await item.count()) === 0 ? '' : ((await item.first().textContent()) ?? '').trim();
  }

  /** The rows of the open list of choices. */
  async choices(): Promise<string[]> {
    return this.page
      .locator('.quick-input-widget:visible .quick-input-list .monaco-list-row')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? row.textContent ?? ''));
  }

  async choose(label: string): Promise<void> {
    const row = this.page.locator('.quick-input-widget:visible .monaco-list-row', { hasText: label }).first();
    await row.click();
  }

  /** Fills the open input box, which has this title. */
  async fill(title: string, text: string): Promise<void> {
    await this.page.locator('.quick-input-widget:visible .quick-input-title', { hasText: title }).waitFor();
    await this.page.locator(BOX).fill(text);
  }

  /** Keeps a picture. */
  async shot(name: string): Promise<void> {
    fs.mkdirSync(this.artefacts, { recursive: true });
    await this.page.screenshot({ animations: 'disabled', path: path.join(this.artefacts, `${name}.png`) });
  }
}
