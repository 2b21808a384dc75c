// What the key for all does about what the last change leaves to do in other files.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Left } from './protocol';

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
