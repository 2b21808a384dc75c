// Changes across many files: a plan to edit, then one diff to apply to some of the files or all.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { editOf, type FileChange, files, isOutdated, textEdits } from './changeSet';
import { warn } from './messages';
import { PlanFiles, SCHEME } from './planFiles';
import type { Preview, PreviewedFile } from './preview';
import type { Checked, Planned } from './protocol';
import { applyReplacements, replacement } from './replacements';
import { isSupported, type Server } from './server';
import { execute, showFailure } from './work';

const CARRY_OUT_KEY = process.platform === 'darwin' ? '⌘Enter' : 'Ctrl+Enter';
/** The note above a plan. The server skips lines that begin with `>`. */
const NOTE = `> Change, add or delete steps, then run the plan with the button above or ${CARRY_OUT_KEY}.\n\n`;
/** How long a message stays in the status bar. */
const MESSAGE_MS = 5000;

/** What a plan is about. */
interface Origin {
  readonly title: string;
  readonly textDocument: { readonly uri: string } | undefined;
}

export class Plan implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly shown: Preview;
  private readonly files = new PlanFiles();
  private readonly origins = new Map<string, Origin>();
  private count = 0;

  constructor(server: Server, preview: Preview) {
    this.server = server;
    this.shown = preview;
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      vscode.workspace.registerFileSystemProvider(SCHEME, this.files),
      register('tandem.planChange', (instruction?: unknown) =>
        this.run(typeof instruction === 'string' ? instruction : undefined),
      ),
      register('tandem.planEditor.carryOut', () => this.carryOut()),
      register('tandem.planEditor.discard', () => this.discard()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Runs the command. Key bindings may pass the instruction; without one, the user is prompted. */
  private async run(preset?: string): Promise<void> {
    const client = this.server.require();
    if (!client) {
      return;
    }
    const editor = vscode.window.activeTextEditor;
    const instruction = (
      preset ??
      (await vscode.window.showInputBox({
        title: 'Change many files',
        placeHolder: 'Describe the change. For example: return a Result from load, and adapt the callers',
      }))
    )?.trim();
    if (!instruction) {
      return;
    }
    const about = editor && isSupported(editor.document) ? editor : undefined;
    const converter = client.code2ProtocolConverter;
    const textDocument = about && { uri: converter.asUri(about.document.uri) };
    const range = about && !about.selection.isEmpty ? converter.asRange(about.selection) : undefined;
    try {
      const argument = { instruction, textDocument, range, show: true };
      const answer = await execute<Planned>(client, instruction, 'tandem.plan', argument);
      if (answer?.status === 'planned' && answer.plan !== undefined) {
        await this.edit({ title: instruction, textDocument }, answer.plan);
      } else if (answer) {
        await this.preview(client, instruction, answer);
      }
    } catch (error) {
      await showFailure(error);
    }
  }

  /** Shows a plan to be edited. */
  private async edit(origin: Origin, plan: string): Promise<void> {
    this.count += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/Plan ${this.count}.md` });
    this.files.set(uri, NOTE + plan);
    this.origins.set(uri.toString(), origin);
    await vscode.window.showTextDocument(uri, { preview: false });
  }

  /** Runs the plan that is being edited. It stays on screen until there is a change to apply. */
  private async carryOut(): Promise<void> {
    const client = this.server.require();
    const document = vscode.window.activeTextEditor?.document;
    const origin = document && this.origins.get(document.uri.toString());
    if (!client || !origin) {
      return;
    }
    const { version } = document;
    try {
      const argument = { plan: document.getText(), textDocument: origin.textDocument, preview: true };
      const answer = await execute<Planned>(client, origin.title, 'tandem.plan', argument);
      if (answer) {
        await this.preview(client, origin.title, answer, async () => {
          // What was written meanwhile is kept.
          if (document.version === version) {
            await this.close(document);
          }
        });
      }
    } catch (error) {
      await showFailure(error);
    }
  }

  private async discard(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.uri.scheme === SCHEME) {
      await this.close(document);
    }
  }

  private async close(document: vscode.TextDocument): Promise<void> {
    // What is saved can be closed without a question.
    await document.save();
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString());
    await vscode.window.tabGroups.close(tabs);
    this.origins.delete(document.uri.toString());
    this.files.delete(document.uri);
  }

  /** Shows the change that a plan made, and applies it if the user wants it. */
  async preview(
    client: LanguageClient,
    title: string,
    answer: Planned,
    beforeShown: () => Promise<void> = async () => {},
  ): Promise<void> {
    const remarks = remarksOf(answer);
    if (answer.status === 'unchanged') {
      vscode.window.setStatusBarMessage('Tandem: nothing to change', MESSAGE_MS);
      return;
    }
    if (!answer.edit) {
      void warn(remarks.join('; '));
      return;
    }
    const changes = new Map<PreviewedFile, FileChange>();
    for (const change of files(answer.edit)) {
      const file = await previewed(client, change);
      if (!file) {
        void warn('a file has changed since, so this change is not shown');
        return;
      }
      changes.set(file, change);
    }
    const count = changes.size === 1 ? '1 file changes' : `${changes.size} files change`;
    await beforeShown();
    let applied: FileChange[] = [];
    const outcome = await this.shown.show({
      title,
      said: `${[count, ...remarks].join('; ')}.`,
      files: [...changes.keys()],
      confirm: async (chosen) => {
        const leaveOut = [...changes].flatMap(([file, { from, to }]) =>
          chosen.includes(file) ? [] : [from ?? to].filter((it) => it !== undefined),
        );
        return confirm(client, title, answer, leaveOut);
      },
      apply: async (chosen) => {
        applied = [...changes].flatMap(([file, change]) => (chosen.includes(file) ? [change] : []));
        const edit = await client.protocol2CodeConverter.asWorkspaceEdit(editOf(applied));
        return vscode.workspace.applyEdit(edit);
      },
    });
    if (outcome === 'outdated') {
      void warn('a file has changed since, so nothing was applied');
    } else if (outcome === 'applied') {
      await reveal(client, applied);
      const changed = applied.length === 1 ? '1 file is' : `${applied.length} files are`;
      const isSaved = vscode.workspace.getConfiguration('files').get('autoSave') !== 'off';
      const state = isSaved ? 'changed' : 'changed and not saved yet';
      vscode.window.setStatusBarMessage(`Tandem: ${changed} ${state}`, MESSAGE_MS);
    }
  }
}

/** Puts the cursor on the first changed line, which an edit above all others does not move. */
async function reveal(client: LanguageClient, applied: readonly FileChange[]): Promise<void> {
  const first = applied.find(({ to }) => to !== undefined);
  if (first?.to !== undefined) {
    const line = Math.min(...textEdits(first).map(({ range }) => range.start.line));
    const at = Number.isFinite(line) ? new vscode.Position(line, 0) : new vscode.Position(0, 0);
    const uri = client.protocol2CodeConverter.asUri(first.to);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at) });
  }
}

/** Has the user read what is wrong with the change, or would be without some files; false if the user goes back. */
async function confirm(client: LanguageClient, title: string, whole: Planned, leaveOut: string[]): Promise<boolean> {
  try {
    const argument = { edit: whole.edit, leaveOut };
    const checked = leaveOut.length > 0 && (await execute<Checked>(client, title, 'tandem.checkPlan', argument));
    if (checked === undefined) {
      return false;
    }
    const missed = checked ? checked.findings : [];
    const findings = [...(whole.findings ?? []), ...missed];
    if (findings.length === 0) {
      return true;
    }
    const anyway = 'Apply Anyway';
    const what = missed.length > 0 ? 'the files that are left out are needed' : 'the change is not complete';
    const detail = findings.join('\n');
    return (await vscode.window.showWarningMessage(`Tandem: ${what}.`, { modal: true, detail }, anyway)) === anyway;
  } catch (error) {
    await showFailure(error);
    return false;
  }
}

/** What is known of a plan's outcome besides the change. */
function remarksOf({ reason, steps, notes, findings, testCommand }: Planned): string[] {
  const failed = (steps ?? []).flatMap(({ number, path, why }) => (why ? [`step ${number}, ${path}: ${why}`] : []));
  const tests = testCommand ? [`${testCommand} runs the tests`] : [];
  return [...(reason ? [reason] : []), ...failed, ...(findings ?? []), ...(notes ?? []), ...tests];
}

/** A file with its text after the change; undefined if it has changed since that was made. */
async function previewed(client: LanguageClient, change: FileChange): Promise<PreviewedFile | undefined> {
  const { asUri } = client.protocol2CodeConverter;
  const from = change.from === undefined ? undefined : asUri(change.from);
  const to = change.to === undefined ? undefined : asUri(change.to);
  const edits = textEdits(change);
  if (!from) {
    return { from, to, text: edits.map((it) => it.newText).join(''), version: undefined };
  }
  const document = await vscode.workspace.openTextDocument(from);
  if (isOutdated(change, document)) {
    return undefined;
  }
  const replacements = edits.map(({ range, newText }) =>
    replacement(document, client.protocol2CodeConverter.asRange(range), newText),
  );
  const text = to ? applyReplacements(document.getText(), replacements) : '';
  return { from, to, text, version: document.version };
}
