// Work that the user waits for: a command of the server under a bar that can cancel it.

import * as vscode from 'vscode';
import { ResponseError, WorkDoneProgress } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { warn } from './messages';
import { SET_UP } from './remedies';

let count = 0;

/** Executes a command of the server; undefined if the user cancelled it. */
export async function execute<T>(
  client: LanguageClient,
  title: string,
  command: string,
  argument: object,
): Promise<T | undefined> {
  count += 1;
  const bar = `tandem-work-${count}`;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Tandem: ${title}`,
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (progress, token) => {
    const steps = client.onProgress(WorkDoneProgress.type, bar, (step) => {
      if (step.kind !== 'end' && step.message) {
        progress.report({ message: step.message });
      }
    });
    const params = { command, arguments: [argument], workDoneToken: bar };
    try {
      return await client.sendRequest<T>('workspace/executeCommand', params, token);
    } catch (error) {
      if (token.isCancellationRequested) {
        return undefined;
      }
      throw error;
    } finally {
      steps.dispose();
    }
  });
}

/** The reason why something failed, as the server reports it. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Shows why something failed, with the remedy if it wants a model. */
export async function showFailure(error: unknown): Promise<void> {
  await warn(reason(error), error instanceof ResponseError && hasReason(error.data, 'no-model') ? [SET_UP] : []);
}

/** Whether an error's data names this reason. See editors/protocol.md, Errors. */
function hasReason(data: unknown, name: string): boolean {
  return typeof data === 'object' && data !== null && 'reason' in data && data.reason === name;
}
