// One next edit: where it is, and the label with its keys.

import type * as vscode from 'vscode';
import type { Hint } from './decorations';
import { type Hunk, hunkOf, wholeLines } from './diff';
import type { NextEdit as Edit, Left } from './protocol';
import type { Screen, TabAction } from './tab';

/** The trigger kinds of the protocol. */
export const INVOKED = 1;
export const AUTOMATIC = 2;
export type TriggerKind = typeof INVOKED | typeof AUTOMATIC;

export interface Suggestion {
  readonly edit: Edit;
  readonly uri: vscode.Uri;
  /** The file that was edited when it was requested. */
  readonly origin: vscode.Uri;
  readonly range: vscode.Range;
  /** Undefined if the edit is in another file. */
  readonly hunk: Hunk | undefined;
  /** What other files have beyond it. */
  readonly left: Left | undefined;
  /** How it was requested; the ones after it are requested likewise. */
  readonly triggerKind: TriggerKind;
  /** Whether the user has jumped to it: Tab then applies it even where it would indent. */
  readonly isJumpedTo: boolean;
}

/** The label: which key does what. */
export function hintFor(suggestion: Suggestion, editor: vscode.TextEditor, screen: Screen, action: TabAction): Hint {
  const isTab = action === 'jump' || action === 'apply';
  const key = isTab ? 'Tab' : process.platform === 'darwin' ? '⌥⌘.' : 'Ctrl+Alt+.';
  const { active } = editor.selection;
  const more = suggestion.left && !suggestion.isJumpedTo ? ` · ${leftText(suggestion.left)}` : '';
  if (screen.edit === 'here') {
    return { at: suggestion.hunk?.at ?? active, isAbove: false, text: `${key}: apply${more}` };
  }
  const isSameFile = suggestion.uri.toString() === editor.document.uri.toString();
  const line = suggestion.hunk?.at.line ?? suggestion.range.start.line;
  const isAbove = isSameFile && line < active.line;
  const where = isSameFile
    ? `${isAbove ? '↑' : '↓'} line ${line + 1}`
    : `→ ${fileName(suggestion.uri)}, line ${line + 1}`;
  return { at: active, isAbove, text: `${key}: ${where}${more}` };
}

const ALL_KEY = process.platform === 'darwin' ? '⇧⌥⌘.' : 'Ctrl+Alt+Shift+.';

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

/** How much is left where, and the key that goes on there. */
export function leftText({ places, rename }: Left): string {
  const files = new Set(places.map(({ uri }) => uri)).size;
  if (files === 0) {
    return `other files may use ${rename?.from ?? 'it'}: ${ALL_KEY}`;
  }
  const what = rename ? `${places.length} more` : `${count(places.length, 'place')} to adapt`;
  return `${what} in ${count(files, 'file')}: ${ALL_KEY}`;
}

/** Whether the cursor is on one of its lines. */
export function isAtCursor({ uri, hunk }: Suggestion, editor: vscode.TextEditor): boolean {
  const { line } = editor.selection.active;
  const isSameFile = editor.document.uri.toString() === uri.toString();
  return isSameFile && hunk !== undefined && line >= hunk.at.line && line <= hunk.lastLine;
}

export function fileName(uri: vscode.Uri): string {
  return uri.path.split('/').at(-1) ?? '';
}

/** What the edit changes, by whole lines; undefined if it is nothing. */
export function hunkIn(document: vscode.TextDocument, range: vscode.Range, text: string): Hunk | undefined {
  const line = (number: number) => document.lineAt(Math.min(number, document.lineCount - 1)).text;
  const plain = (it: string) => it.replaceAll('\r\n', '\n');
  const { start, end } = range;
  const before = line(start.line).slice(0, start.character);
  const after = line(end.line).slice(end.character);
  const whole = wholeLines(plain(document.getText(range)), plain(text), before, after);
  return hunkOf(whole.old, whole.text, { line: start.line, character: 0 });
}

/** Whether Tab indents: there is a selection, or only blanks precede the cursor on its line. */
export function tabIndents(editor: vscode.TextEditor): boolean {
  const { selection, document } = editor;
  const before = document.lineAt(selection.active.line).text.slice(0, selection.active.character);
  return !selection.isEmpty || before.trim() === '';
}
