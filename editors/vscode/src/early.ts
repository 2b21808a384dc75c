// Edits that were made before the server knew their file, such as while it started.
//
// A document with such edits is opened with the text on disk, which a change then makes the text of the document. So
// the server sees the edit as if it had been there.

import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient';
import { savedText } from './savedText';

/** The largest file that is read for it, in bytes. */
const MAX_BYTES = 1_000_000;
/** The version of a document that was not edited yet, also if it was restored with edits of an earlier session. */
const FIRST_VERSION = 1;

interface Opened {
  readonly textDocument: { readonly uri: string; readonly version: number; readonly text: string };
}

export class EarlyEdits {
  /** The documents that were opened before: what is unsaved in them when a server is restarted may be old. */
  private readonly known = new WeakSet<vscode.TextDocument>();

  /** Has the client report the edits that were made before it opened their file. */
  readonly sendNotification: NonNullable<Middleware['sendNotification']> = async (type, next, params) => {
    const method = typeof type === 'string' ? type : type.method;
    const opened = method === 'textDocument/didOpen' ? (params as Opened).textDocument : undefined;
    const text = opened && this.textBefore(opened);
    if (!opened || text === undefined || text === opened.text) {
      return next(type, params);
    }
    const { uri, version } = opened;
    const before = { ...params, textDocument: { ...opened, text, version: version - 1 } };
    const change = { textDocument: { uri, version }, contentChanges: [{ text: opened.text }] };
    // Both are written at once: no change of the user's comes between them.
    await Promise.all([next(type, before), next('textDocument/didChange', change as typeof params)]);
  };

  /** The text that a document had before it was edited; undefined if it was not, or if that is not known. */
  private textBefore({ uri, version }: Opened['textDocument']): string | undefined {
    const document = vscode.workspace.textDocuments.find((it) => it.uri.toString() === uri);
    if (!document || this.known.has(document)) {
      return undefined;
    }
    this.known.add(document);
    const isEdited = document.uri.scheme === 'file' && document.isDirty && version > FIRST_VERSION;
    return isEdited ? saved(document) : undefined;
  }
}

function saved(document: vscode.TextDocument): string | undefined {
  try {
    // Read at once: the messages that follow must not wait.
    const stat = fs.statSync(document.uri.fsPath);
    const isRead = stat.isFile() && stat.size <= MAX_BYTES;
    const lineEnd = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
    return isRead ? savedText(fs.readFileSync(document.uri.fsPath), lineEnd) : undefined;
  } catch {
    // The file is gone, or cannot be read.
    return undefined;
  }
}
