// What the key for all does about what the last change leaves to do in other files.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Left, NextEdit } from './protocol';

/** What is left together with the place of an edit that is shown, which the server leaves out of it. */
export function withShown(left: Left | undefined, shown: NextEdit | undefined): Left | undefined {
  if (!shown) {
    return left;
  }
  const places = [...(left?.places ?? []), { uri: shown.textDocument.uri, range: shown.range }];
  places.sort((a, b) => (a.uri === b.uri ? a.range.start.line - b.range.start.line : a.uri < b.uri ? -1 : 1));
  return { ...left, places };
}

/** Goes on with what is left: by a plan where there is a model, else by a view of the places. False if nothing is left. */
export async function goOn(
  client: LanguageClient,
  editor: vscode.TextEditor,
  left: Left | undefined,
): Promise<boolean> {
  if (!left || (left.instruction === undefined && left.places.length === 0)) {
    return false;
  }
  if (left.instruction !== undefined) {
    await vscode.commands.executeCommand('tandem.planChange', left.instruction);
  } else {
    const places = left.places.map((it) => client.protocol2CodeConverter.asLocation(it));
    const { document, selection } = editor;
    await vscode.commands.executeCommand('editor.action.peekLocations', document.uri, selection.active, places, 'peek');
  }
  return true;
}
