// The entry point. Which module uses which:
//
//   server       finds and runs the program             program, settings, restarts
//   ghost        ghost text: shown and accepted parts   partialAccept, menu
//   nextEdit     next edits: what is on screen, jump    tab, menu, snippet, suggestion, decorations,
//                                                       nextEditRequests, nextEditChanges
//   nextEditRequests   asks the server for next edits
//   nextEditChanges    applies one of them, or all      rename
//   rename       a rename by the language's own extension
//   decorations  draws a next edit                      diff, hintPlace, svgBlock
//   rewrite      rewrites by instruction                history, left, preview, replacements, work
//   plan         changes across many files              changeSet, planFiles, preview, replacements, work
//   jobs         explains, documents, tests, reviews    rewrite, plan, pages, rendered, work
//   ask          questions about the workspace          pages, work
//   pages        texts to read, with links
//   rendered     Markdown of a model, as it reads
//   work         commands of the server under a bar that can cancel them
//   commit       the message for what is staged, in the box of Source Control
//   setup        chooses a model, switches profiles     setupText, server
//   child        runs the program beside the server     settings
//   status       the status bar item                    statusText
//   statusMenu   its menu, and the lists behind it      status, statusText, why, configuration, doctor
//   doctor       the reports of the doctor and on usage     child, pages
//   recorder     switches the recorder, and shows what it has recorded   child, pages, configuration
//   messages     notifications, with buttons            remedies
//   early        edits made before the server knew their file   savedText
//   silence      points once to the reasons if nothing is shown
//   diagnostics  forwards diagnostics of other extensions
//   terminal     fixes what a command in a terminal reports   terminalOutput
//   codeActions  shows why a code action failed
//   savedFixes   says what a save has fixed             fixText, replacements
//   conflicts    warns about other extensions with ghost text
//
// Modules that do not import `vscode` are plain functions with unit tests.

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient';
import { Ask } from './ask';
import { codeActionMiddleware } from './codeActions';
import { CommitMessage } from './commit';
import { watchConflicts } from './conflicts';
import { Diagnostics } from './diagnostics';
import { EarlyEdits } from './early';
import { Ghost } from './ghost';
import { Jobs } from './jobs';
import { Menu } from './menu';
import { NextEdit } from './nextEdit';
import { Pages } from './pages';
import { Plan } from './plan';
import { Preview } from './preview';
import type { GhostTextChanged } from './protocol';
import { Recorder } from './recorder';
import { Rewrite } from './rewrite';
import { SavedFixes } from './savedFixes';
import { Server } from './server';
import { Setup } from './setup';
import { Silence } from './silence';
import { Status } from './status';
import { StatusMenu } from './statusMenu';
import { TerminalFixes } from './terminal';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const menu = new Menu();
  const ghost = new Ghost(() => server?.client, menu);
  const savedFixes = new SavedFixes();
  const middleware: Middleware = {
    ...codeActionMiddleware(() => server?.client),
    provideCodeActions: savedFixes.provideCodeActions,
    willSaveWaitUntil: savedFixes.willSaveWaitUntil,
    provideInlineCompletionItems: ghost.provide,
    sendNotification: new EarlyEdits().sendNotification,
    executeCommand: async (command, args, next) => {
      const result: unknown = await next(command, args);
      if (command === 'tandem.accept') {
        nextEdit.requestSoon();
        status.refreshSoon();
      }
      return result;
    },
  };
  const started = new Server(middleware, context.extensionPath);
  server = started;
  const nextEdit = new NextEdit(started, ghost, menu, context.extensionUri);
  const status = new Status(started);
  const diagnostics = new Diagnostics(() => server?.client);
  const preview = new Preview();
  const pages = new Pages();
  const rewrite = new Rewrite(started, context.globalState, preview, () => status.refreshSoon());
  const plan = new Plan(started, preview);
  const walkthrough = `${context.extension.id}#start`;
  context.subscriptions.push(
    started,
    menu,
    ghost,
    nextEdit,
    diagnostics,
    new TerminalFixes(started),
    savedFixes,
    preview,
    pages,
    rewrite,
    plan,
    new Jobs(started, pages, rewrite, plan),
    new Ask(started, pages),
    new CommitMessage(started),
    status,
    new StatusMenu(started, status, pages),
    new Recorder(started, status, pages),
    new Setup(started, () => void status.refresh()),
    new Silence(ghost, nextEdit, context.globalState),
    ghost.onDidChange(() => status.refreshSoon()),
    vscode.commands.registerCommand('tandem.showDismissed', async () => {
      const isShown = ghost.dismissedAt > nextEdit.dismissedAt && (await ghost.restore());
      await (isShown ? undefined : nextEdit.restore());
    }),
    started.onDidStart((client) => {
      diagnostics.resendAll();
      client.onNotification('tandem/ghostTextChanged', ({ textDocument }: GhostTextChanged) =>
        ghost.onServerChange(textDocument),
      );
    }),
    vscode.commands.registerCommand('tandem.openWalkthrough', async () => {
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', walkthrough, false);
      // A step is ticked when its key turns true after VS Code has read it, which may be as late as now.
      await vscode.commands.executeCommand('setContext', 'tandem.found', started.condition === 'running');
    }),
    vscode.commands.registerCommand('tandem.openSettings', () =>
      vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`),
    ),
  );
  watchConflicts(context);
  // VS Code 1.103 introduced `cursorBeforeGhostText`; older versions bind partial accept without it.
  const minor = Number(vscode.version.split('.')[1]);
  void vscode.commands.executeCommand('setContext', 'tandem.noCursorBeforeGhostText', minor < 103);
  // Not awaited: a slow or missing program must not delay or fail the activation.
  void started.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
