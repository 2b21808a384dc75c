// A change shown as a diff before it is made: the file on the left, the file as it would be on the right.

import * as vscode from 'vscode';
import { applied, type Replacement } from './replace';

const SCHEME = 'tandem-preview';

export interface About {
  readonly instruction: string;
  readonly who: string;
  /** What the user should look at, each a sentence. */
  readonly flags: readonly string[];
}

/** `outdated`: the user said yes, but a file is no longer what the change was made for. */
export type Outcome = 'applied' | 'discarded' | 'outdated';

interface File {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly shown: vscode.Uri;
}

interface Pending {
  readonly edit: vscode.WorkspaceEdit;
  readonly files: readonly File[];
  readonly end: (outcome: Outcome) => void;
}

export class Preview implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly texts = new Map<string, string>();
  private pending: Pending | undefined;
  private count = 0;

  constructor() {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        provideTextDocumentContent: (uri) => this.texts.get(uri.toString()) ?? '',
      }),
      vscode.commands.registerCommand('tandem.preview.apply', () => this.apply()),
      vscode.commands.registerCommand('tandem.preview.discard', () => this.end('discarded')),
      vscode.window.tabGroups.onDidChangeTabs((event) => this.closed(event.closed)),
    ];
  }

  dispose(): void {
    void this.end('discarded');
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Shows a change and waits for what the user makes of it. Another one takes its place. */
  async show(edit: vscode.WorkspaceEdit, about: About): Promise<Outcome> {
    await this.end('discarded');
    this.count += 1;
    const files: File[] = [];
    for (const [uri, edits] of edit.entries()) {
      const document = await vscode.workspace.openTextDocument(uri);
      // The path of the file, so that the diff has its name and its language.
      const shown = uri.with({ scheme: SCHEME, query: `${this.count}` });
      this.texts.set(
        shown.toString(),
        applied(
          document.getText(),
          edits.map((it) => replacement(document, it)),
        ),
      );
      files.push({ document, version: document.version, shown });
    }
    const outcome = new Promise<Outcome>((resolve) => {
      this.pending = { edit, files, end: resolve };
    });
    await vscode.commands.executeCommand('setContext', 'tandem.previewing', true);
    await open(files, about.instruction);
    void this.ask(about, files.length);
    return outcome;
  }

  /** The same as the buttons above the diff, where a newcomer looks. */
  private async ask(about: About, files: number): Promise<void> {
    const pending = this.pending;
    const what = files === 1 ? 'This rewrite' : `This rewrite of ${files} files`;
    const check = about.flags.length > 0 ? ` Check: ${about.flags.join('; ')}.` : '';
    const picked = await vscode.window.showInformationMessage(
      `Tandem: ${what} was made by ${about.who}.${check}`,
      'Apply',
      'Discard',
    );
    if (this.pending === pending && picked) {
      await (picked === 'Apply' ? this.apply() : this.end('discarded'));
    }
  }

  private async apply(): Promise<void> {
    const pending = this.pending;
    if (!pending) {
      return;
    }
    if (pending.files.some((file) => file.document.isClosed || file.document.version !== file.version)) {
      await this.end('outdated');
      return;
    }
    const isApplied = await vscode.workspace.applyEdit(pending.edit);
    const [first] = pending.files;
    if (isApplied && first) {
      // Before the diff closes: what had the focus there takes it along.
      await vscode.window.showTextDocument(first.document);
    }
    await this.end(isApplied ? 'applied' : 'outdated');
  }

  private async end(outcome: Outcome): Promise<void> {
    const pending = this.pending;
    if (!pending) {
      return;
    }
    this.pending = undefined;
    await vscode.commands.executeCommand('setContext', 'tandem.previewing', false);
    // Our question may still be there.
    await vscode.commands.executeCommand('notifications.hideToasts');
    const shown = new Set(pending.files.map((file) => file.shown.toString()));
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => shows(tab, shown));
    await vscode.window.tabGroups.close(tabs);
    for (const uri of shown) {
      this.texts.delete(uri);
    }
    pending.end(outcome);
  }

  private closed(tabs: readonly vscode.Tab[]): void {
    const shown = new Set(this.pending?.files.map((file) => file.shown.toString()));
    if (tabs.some((tab) => shows(tab, shown))) {
      void this.end('discarded');
    }
  }
}

async function open(files: readonly File[], instruction: string): Promise<void> {
  const [first] = files;
  if (files.length === 1 && first) {
    const name = first.document.uri.path.split('/').at(-1);
    await vscode.commands.executeCommand('vscode.diff', first.document.uri, first.shown, `${name}: ${instruction}`, {
      preview: true,
    });
    return;
  }
  const rows = files.map((file) => [file.document.uri, file.document.uri, file.shown]);
  await vscode.commands.executeCommand('vscode.changes', `Tandem: ${instruction}`, rows);
}

/** Whether a tab has one of the virtual documents on its right side. */
function shows(tab: vscode.Tab, shown: ReadonlySet<string>): boolean {
  const input: unknown = tab.input;
  if (input instanceof vscode.TabInputTextDiff) {
    return shown.has(input.modified.toString());
  }
  // Tabs with several diffs have a type that is not in the API yet.
  const diffs = (input as { textDiffs?: vscode.TabInputTextDiff[] } | undefined)?.textDiffs;
  return Array.isArray(diffs) && diffs.some((diff) => shown.has(diff.modified.toString()));
}

function replacement(document: vscode.TextDocument, edit: vscode.TextEdit): Replacement {
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  return {
    from: document.offsetAt(edit.range.start),
    to: document.offsetAt(edit.range.end),
    text: edit.newText.replaceAll(/\r?\n/g, eol),
  };
}
