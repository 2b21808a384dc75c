// Shows a rewrite as a diff before it is applied: the file on the left, the result on the right.

import * as vscode from 'vscode';
import { applyReplacements, type Replacement } from './replacements';

const SCHEME = 'tandem-preview';

export interface RewriteInfo {
  readonly instruction: string;
  readonly source: string;
  /** The server's remarks about the change. */
  readonly flags: readonly string[];
}

/** `outdated`: the user applied the change, but a file has changed since it was made. */
export type Outcome = 'applied' | 'discarded' | 'outdated';

interface File {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly previewUri: vscode.Uri;
}

interface Pending {
  readonly edit: vscode.WorkspaceEdit;
  readonly files: readonly File[];
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
  async show(edit: vscode.WorkspaceEdit, info: RewriteInfo): Promise<Outcome> {
    await this.finish('discarded');
    this.count += 1;
    const files: File[] = [];
    for (const [uri, edits] of edit.entries()) {
      const document = await vscode.workspace.openTextDocument(uri);
      // With the path of the file, from which the diff takes its title and language.
      const previewUri = uri.with({ scheme: SCHEME, query: `${this.count}` });
      this.texts.set(
        previewUri.toString(),
        applyReplacements(
          document.getText(),
          edits.map((it) => replacement(document, it)),
        ),
      );
      files.push({ document, version: document.version, previewUri });
    }
    const outcome = new Promise<Outcome>((resolve) => {
      this.pending = { edit, files, finish: resolve };
    });
    await vscode.commands.executeCommand('setContext', 'tandem.previewing', true);
    await openDiff(files, info.instruction);
    void this.prompt(info, files.length);
    return outcome;
  }

  /** Shows a notification with the same choices as the buttons above the diff. */
  private async prompt(info: RewriteInfo, files: number): Promise<void> {
    const pending = this.pending;
    const scope = files === 1 ? 'Rewritten' : `${files} files rewritten`;
    const check = info.flags.length > 0 ? ` Check: ${info.flags.join('; ')}.` : '';
    const picked = await vscode.window.showInformationMessage(
      `Tandem: ${scope} by ${info.source}.${check}`,
      'Apply',
      'Discard',
    );
    if (this.pending === pending && picked) {
      await (picked === 'Apply' ? this.apply() : this.finish('discarded'));
    }
  }

  private async apply(): Promise<void> {
    const pending = this.pending;
    if (!pending) {
      return;
    }
    if (pending.files.some((file) => file.document.isClosed || file.document.version !== file.version)) {
      await this.finish('outdated');
      return;
    }
    const isApplied = await vscode.workspace.applyEdit(pending.edit);
    const [first] = pending.files;
    if (isApplied && first) {
      // Focus the file first: closing the diff would move the focus elsewhere.
      await vscode.window.showTextDocument(first.document);
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
    const previewUris = new Set(pending.files.map((file) => file.previewUri.toString()));
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
    const previewUris = new Set(this.pending?.files.map((file) => file.previewUri.toString()));
    if (tabs.some((tab) => showsPreview(tab, previewUris))) {
      void this.finish('discarded');
    }
  }
}

async function openDiff(files: readonly File[], instruction: string): Promise<void> {
  const [first] = files;
  if (files.length === 1 && first) {
    const name = first.document.uri.path.split('/').at(-1);
    await vscode.commands.executeCommand(
      'vscode.diff',
      first.document.uri,
      first.previewUri,
      `${name}: ${instruction}`,
      {
        preview: true,
      },
    );
    return;
  }
  const rows = files.map((file) => [file.document.uri, file.document.uri, file.previewUri]);
  await vscode.commands.executeCommand('vscode.changes', `Tandem: ${instruction}`, rows);
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

function replacement(document: vscode.TextDocument, edit: vscode.TextEdit): Replacement {
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  return {
    from: document.offsetAt(edit.range.start),
    to: document.offsetAt(edit.range.end),
    text: edit.newText.replaceAll(/\r?\n/g, eol),
  };
}
