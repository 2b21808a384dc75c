// Notifications: a sentence each, with a button for each remedy.

import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient';
import { type Remedy, remedies, sentence } from './remedies';

/** Warns the user, with buttons for what the message names and for `more`. */
export async function warn(said: string, more: readonly Remedy[] = []): Promise<void> {
  await show(MessageType.Warning, said, more);
}

/** Shows a message of this severity. A message with buttons is shown whole; VS Code cuts others to one line. */
export async function show(type: MessageType, said: string, more: readonly Remedy[] = []): Promise<void> {
  const offered = new Map([...more, ...remedies(said)].map((it) => [it.label, it.command]));
  const { showErrorMessage, showWarningMessage, showInformationMessage } = vscode.window;
  const labels = [...offered.keys()];
  const message = sentence(said);
  const picked = await (type === MessageType.Error
    ? showErrorMessage(message, ...labels)
    : type === MessageType.Warning
      ? showWarningMessage(message, ...labels)
      : showInformationMessage(message, ...labels));
  const command = picked && offered.get(picked);
  if (command) {
    await vscode.commands.executeCommand(command);
  }
}
