// Shows a change as a diff before it is applied: the files on the left, the results on the right.

import * as vscode from 'vscode';

const SCHEME = 'tandem-preview';

/** `outdated`: the user applied the change, but a file has changed since it was made. */
export type Outcome = 'applied' | 'discarded' | 'outdated';

/** A file of a change. */
export interface PreviewedFile {
  /** Where it is now; undefined for a new one. */
  readonly from: vscode.Uri | undefined;
  /** Where it is then; undefined for one that is deleted. */
  readonly to: vscode.Uri | undefined;
  /** Its text then. */
  readonly text: string;
  /** The version of the document whose text that was made from; undefined for a new one. */
  readonly version: number | undefined;
}

/** A change, as it is shown. */
export interface Change {
  readonly title: string;
  /** The message beside the choices. */
  readonly said: string;
  readonly files: readonly PreviewedFile[];
  /** Asks the user about leaving out the other files; false if the user goes back to the diff. */
  readonly confirm?: (files: readonly PreviewedFile[]) => Promise<boolean>;
  /** Makes the change in some of the files; false if one cannot be changed. */
  readonly apply: (files: readonly PreviewedFile[]) => Promise<boolean>;
}

/** A file on screen. */
interface Shown {
  readonly file: PreviewedFile;
  /** The file as it was, if it is there. */
  readonly document: vscode.TextDocument | undefined;
  readonly before: vscode.Uri;
  readonly after: vscode.Uri;
}

interface Pending {
  readonly change: Change;
  readonly shown: readonly Shown[];
  readonly finish: (outcome: Outcome) => void;
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
      vscode.commands.registerCommand('tandem.preview.discard', () => this.finish('discarded')),
      vscode.window.tabGroups.onDidChangeTabs((event) => this.onTabsClosed(event.closed)),
    ];
  }

  dispose(): void {
    void this.finish('discarded');
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Shows a change and waits for the decision. A change that is still shown is discarded. */
  async show(change: Change): Promise<Outcome> {
    await this.finish('discarded');
    this.count += 1;
    const shown: Shown[] = [];
    for (const file of change.files) {
      const path = file.to ?? file.from;
      if (!path) {
        continue;
      }
      const document = file.from && (await vscode.workspace.openTextDocument(file.from));
      // With the path of the file, from which the diff takes its title and language.
      const of = (side: string) => path.with({ scheme: SCHEME, query: `${this.count}${side}` });
      const after = of('');
      this.texts.set(after.toString(), file.text);
      shown.push({ file, document, before: document?.uri ?? of('-'), after });
    }
    const outcome = new Promise<Outcome>((resolve) => {
      this.pending = { change, shown, finish: resolve };
    });
    await vscode.commands.executeCommand('setContext', 'tandem.previewing', true);
    await openDiff(shown, change.title);
    void this.prompt(change);
    return outcome;
  }

  /** Shows a notification with the same choices as the buttons above the diff. */
  private async prompt(change: Change): Promise<void> {
    const pending = this.pending;
    const picked = await vscode.window.showInformationMessage(`Tandem: ${change.said}`, 'Apply', 'Discard');
    if (this.pending === pending && picked) {
      await (picked === 'Apply' ? this.apply() : this.finish('discarded'));
    }
  }

  private async apply(): Promise<void> {
    const pending = this.pending;
    if (!pending) {
      return;
    }
    const chosen = await choose(pending.shown);
    if (!chosen || this.pending !== pending) {
      return;
    }
    const { confirm } = pending.change;
    if (confirm && !(await confirm(chosen.map(({ file }) => file)))) {
      return;
    }
    if (this.pending !== pending) {
      return;
    }
    if (chosen.some(({ file, document }) => document && (document.isClosed || document.version !== file.version))) {
      await this.finish('outdated');
      return;
    }
    const isApplied = await pending.change.apply(chosen.map(({ file }) => file));
    const first = chosen.find(({ file }) => file.to);
    if (isApplied && first?.file.to) {
      // Focus the file first: closing the diff would move the focus elsewhere.
      await vscode.window.showTextDocument(first.file.to);
    }
    await this.finish(isApplied ? 'applied' : 'outdated');
  }

  private async finish(outcome: Outcome): Promise<void> {
    const pending = this.pending;
    if (!pending) {
      return;
    }
    this.pending = undefined;
    await vscode.commands.executeCommand('setContext', 'tandem.previewing', false);
    // The notification may still be open.
    await vscode.commands.executeCommand('notifications.hideToasts');
    const previewUris = new Set(pending.shown.map(({ after }) => after.toString()));
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => showsPreview(tab, previewUris));
    await vscode.window.tabGroups.close(tabs);
    for (const uri of previewUris) {
      this.texts.delete(uri);
    }
    pending.finish(outcome);
  }

  private onTabsClosed(tabs: readonly vscode.Tab[]): void {
    const previewUris = new Set(this.pending?.shown.map(({ after }) => after.toString()));
    if (tabs.some((tab) => showsPreview(tab, previewUris))) {
      void this.finish('discarded');
    }
  }
}

/** Has the user choose files, all of them ticked; undefined if the user goes back to the diff. */
async function choose(shown: readonly Shown[]): Promise<readonly Shown[] | undefined> {
  if (shown.length < 2) {
    return shown;
  }
  const rows = shown.map((it) => ({ label: label(it.file), picked: true, it }));
  const picked = await vscode.window.showQuickPick(rows, {
    title: 'Apply the change to these files',
    placeHolder: 'Untick files to leave unchanged',
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked && picked.length > 0 ? picked.map(({ it }) => it) : undefined;
}

function label({ from, to }: PreviewedFile): string {
  const name = (uri: vscode.Uri) => vscode.workspace.asRelativePath(uri);
  if (!from) {
    return `${to ? name(to) : ''} (new)`;
  }
  if (!to) {
    return `${name(from)} (deleted)`;
  }
  return from.toString() === to.toString() ? name(from) : `${name(from)} → ${name(to)}`;
}

async function openDiff(shown: readonly Shown[], title: string): Promise<void> {
  const [first] = shown;
  if (shown.length === 1 && first) {
    const name = first.after.path.split('/').at(-1);
    const options = { preview: true };
    await vscode.commands.executeCommand('vscode.diff', first.before, first.after, `${name}: ${title}`, options);
    return;
  }
  const rows = shown.map(({ file, before, after }) => [file.to ?? file.from ?? after, before, after]);
  await vscode.commands.executeCommand('vscode.changes', `Tandem: ${title}`, rows);
}

/** Whether a tab shows one of the preview documents as the modified side. */
function showsPreview(tab: vscode.Tab, previewUris: ReadonlySet<string>): boolean {
  const input: unknown = tab.input;
  if (input instanceof vscode.TabInputTextDiff) {
    return previewUris.has(input.modified.toString());
  }
  // The API has no type for tabs with several diffs yet.
  const diffs = (input as { textDiffs?: vscode.TabInputTextDiff[] } | undefined)?.textDiffs;
  return Array.isArray(diffs) && diffs.some((diff) => previewUris.has(diff.modified.toString()));
}
