import type * as vscode from 'vscode';

/** New text for a range, in UTF-16 code units. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies replacements that do not overlap; all offsets refer to the original text. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  // Insertions at the same offset keep the order of the list (LSP 3.17, "TextEdit[]").
  const inOrder = replacements.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let result = '';
  let at = 0;
  for (const { from, to, text: inserted } of inOrder) {
    result += text.slice(at, from) + inserted;
    at = to;
  }
  return result + text.slice(at);
}

/** Makes a replacement of a range of a document, with the document's line ends. */
export function replacement(document: vscode.TextDocument, range: vscode.Range, newText: string): Replacement {
  const eol = document.eol === CRLF ? '\r\n' : '\n';
  return {
    from: document.offsetAt(range.start),
    to: document.offsetAt(range.end),
    text: newText.replaceAll(/\r?\n/g, eol),
  };
}

/** The API's value: this module has the types of the API alone, so that it can be tested without it. */
const CRLF: vscode.EndOfLine.CRLF = 2;

/** What `WorkspaceEdit.set` takes the changes of a file away by; its type has not heard of it. */
export const NO_EDITS = undefined as unknown as vscode.TextEdit[];
