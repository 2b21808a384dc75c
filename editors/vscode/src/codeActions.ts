// Code actions: the client library lists and applies them; this middleware shows why one failed.

import * as vscode from 'vscode';
import { CodeActionResolveRequest, type Middleware } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { showFailure } from './work';

/** @param client The client of the running server, if any. */
export function codeActionMiddleware(client: () => LanguageClient | undefined): Middleware {
  return {
    // The library shows no message for ContentModified, and a stack of them for other errors.
    resolveCodeAction: async (item, token) => {
      const running = client();
      if (!running) {
        return item;
      }
      try {
        const params = await running.code2ProtocolConverter.asCodeAction(item, token);
        const answer = await running.sendRequest(CodeActionResolveRequest.type, params, token);
        return await running.protocol2CodeConverter.asCodeAction(answer, token);
      } catch (error) {
        if (!token.isCancellationRequested) {
          void showFailure(error);
        }
        throw new vscode.CancellationError();
      }
    },
  };
}
