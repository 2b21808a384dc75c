// The changes that next edits make in the text: one at the cursor, or all that are left.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { NextEdit as Edit, Rename } from './protocol';
import { renameByLanguage } from './rename';
import { fileName, type Suggestion } from './suggestion';

/** The outcome of applying all edits, and the message about it. */
export interface Outcome {
  /** `stopped`: the user typed on. */
  readonly kind: 'done' | 'stopped' | 'nothing';
  readonly said: string;
}

const NOTHING: Outcome = { kind: 'nothing', said: 'no next edit' };

export class NextEditChanges {
  private isUnderWay = false;
  /** The text that the last of these changes made. */
  private made: { readonly document: vscode.TextDocument; readonly version: number } | undefined;

  /** Takes note of a change of a text. Returns whether it is one of these. */
  note(document: vscode.TextDocument): boolean {
    if (this.isUnderWay) {
      this.made = { document, version: document.version };
    }
    return this.isUnderWay;
  }

  /** Whether the text is as one of these changes made it. */
  hasMade(document: vscode.TextDocument): boolean {
    return this.made?.document === document && this.made.version === document.version;
  }

  /** Applies one edit, and puts the cursor behind it. Returns whether that was possible. */
  async apply(editor: vscode.TextEditor, { edit, range }: Suggestion): Promise<boolean> {
    const { document } = editor;
    if (document.version !== (edit.textDocument.version ?? document.version)) {
      return false;
    }
    if (!(await this.run(() => editor.edit((builder) => builder.replace(range, edit.text))))) {
      return false;
    }
    const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
    const length = edit.text.replaceAll(/\r?\n/g, eol).length;
    const end = document.positionAt(document.offsetAt(range.start) + length);
    editor.selection = new vscode.Selection(end, end);
    editor.revealRange(editor.selection);
    return true;
  }

  /** Applies edits of one file, or has the language's own extension make the rename that they follow from. */
  async applyAll(
    client: LanguageClient,
    editor: vscode.TextEditor,
    edits: readonly Edit[],
    rename: Rename | undefined,
  ): Promise<Outcome> {
    const [first] = edits;
    const uri = first && client.protocol2CodeConverter.asUri(first.textDocument.uri);
    const document = uri && (await vscode.workspace.openTextDocument(uri));
    const isCurrent = document && (first.textDocument.version ?? document.version) === document.version;
    const text = document?.getText();
    if (rename && (isCurrent || !document)) {
      const outcome = await this.run(() => renameByLanguage(client, rename));
      if (outcome.kind === 'renamed') {
        const where = outcome.files === 1 ? '1 file' : `${outcome.files} files`;
        const said = `renamed ${rename.from} to ${rename.to} in ${where} through the language’s own extension`;
        return { kind: 'done', said };
      }
      if (outcome.kind === 'stopped') {
        return { kind: 'stopped', said: 'nothing was renamed, because you kept typing' };
      }
    }
    // An attempt that failed leaves the text as it was.
    if (!isCurrent || document.getText() !== text) {
      return NOTHING;
    }
    const change = new vscode.WorkspaceEdit();
    for (const edit of edits) {
      change.replace(document.uri, client.protocol2CodeConverter.asRange(edit.range), edit.text);
    }
    if (!(await this.run(() => vscode.workspace.applyEdit(change)))) {
      return NOTHING;
    }
    const file = document === editor.document ? '' : ` in ${fileName(document.uri)}`;
    const what = edits.length === 1 ? '1 edit' : `${edits.length} edits`;
    return { kind: 'done', said: `applied ${what}${file}` };
  }

  /** Makes a change, which the listeners of the text hear of while it is under way. */
  private async run<T>(change: () => Thenable<T>): Promise<T> {
    this.isUnderWay = true;
    try {
      return await change();
    } finally {
      this.isUnderWay = false;
    }
  }
}
