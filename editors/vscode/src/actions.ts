// Code actions: the library lists and applies them; here a refusal becomes one sentence.

import * as vscode from 'vscode';
import { CodeActionResolveRequest, type Middleware } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';

/** @param client The client to ask, if the server runs. */
export function actions(client: () => LanguageClient | undefined): Middleware {
  return {
    // The library says nothing at all where the document has moved on, and too much where there is another reason.
    resolveCodeAction: async (item, token) => {
      const asked = client();
      if (!asked) {
        return item;
      }
      try {
        const params = await asked.code2ProtocolConverter.asCodeAction(item, token);
        const answer = await asked.sendRequest(CodeActionResolveRequest.type, params, token);
        return await asked.protocol2CodeConverter.asCodeAction(answer, token);
      } catch (error) {
        if (!token.isCancellationRequested) {
          const message = error instanceof Error ? error.message : String(error);
          void vscode.window.showWarningMessage(message.startsWith('Tandem') ? message : `Tandem: ${message}`);
        }
        throw new vscode.CancellationError();
      }
    },
  };
}
