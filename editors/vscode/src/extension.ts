// The map: what is made when the extension starts, and what knows what.
//
//   server       finds and runs the program                        program, settings, restarts
//   ghost        ghost text: what became of it                     taking
//   nextEdit     next edits: asked for, drawn, jumped to           hunk, drawing, box
//   rewrite      rewrites by instruction                           history, preview, replace
//   status       the status bar item and its menu                  words, configuration
//   diagnostics  what other servers say, told to ours
//   actions      code actions: failures in one sentence
//   others       other extensions with ghost text
//
// Files without `vscode` in them are plain functions and have tests of their own.

import * as vscode from 'vscode';
import { actions } from './actions';
import { Diagnostics } from './diagnostics';
import { Ghost } from './ghost';
import { NextEdit } from './nextEdit';
import { watchOthers } from './others';
import { Rewrite } from './rewrite';
import { Server } from './server';
import { Status } from './status';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const ghost = new Ghost(() => server?.client);
  const started = new Server({
    ...actions(() => server?.client),
    provideInlineCompletionItems: ghost.provide,
    executeCommand: async (command, args, next) => {
      const result: unknown = await next(command, args);
      if (command === 'tandem.accept') {
        nextEdit.soon();
        status.soon();
      }
      return result;
    },
  });
  server = started;
  const nextEdit = new NextEdit(started, ghost, context.extensionUri);
  const status = new Status(started);
  const diagnostics = new Diagnostics(() => server?.client);
  const walkthrough = `${context.extension.id}#start`;
  context.subscriptions.push(
    started,
    ghost,
    nextEdit,
    diagnostics,
    new Rewrite(started, context.globalState, () => status.soon()),
    status,
    ghost.onDidOffer(() => status.soon()),
    started.onDidStart(() => diagnostics.all()),
    vscode.commands.registerCommand('tandem.openWalkthrough', () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', walkthrough, false),
    ),
    vscode.commands.registerCommand('tandem.openSettings', () =>
      vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`),
    ),
  );
  watchOthers(context);
  // Since 1.103 a context key says whether ghost text is at the cursor; keys for parts of it are bound by that.
  const minor = Number(vscode.version.split('.')[1]);
  void vscode.commands.executeCommand('setContext', 'tandem.noCursorBeforeGhostText', minor < 103);
  // Not awaited: a slow program is not to hold up the editor, and a missing one is no error of the extension's.
  void started.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
