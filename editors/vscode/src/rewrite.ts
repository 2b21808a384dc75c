// Rewrites by instruction: asks what is to change, asks the server, shows the change, applies it.

import * as vscode from 'vscode';
import { type CancellationToken, ResponseError } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { history, remember } from './history';
import { Preview } from './preview';
import type { Rewritten } from './protocol';
import { isFollowed, type Server, settings } from './server';

const HISTORY = 'tandem.instructions';
/** Nobody types a letter, goes to another row and takes it in less time. */
const DRAWN_AFTER_MS = 250;

interface Request {
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  readonly instruction: string;
}

export class Rewrite implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly memory: vscode.Memento;
  private readonly preview: Preview;
  private readonly onDidAnswer: () => void;

  constructor(server: Server, memory: vscode.Memento, onDidAnswer: () => void) {
    this.server = server;
    this.onDidAnswer = onDidAnswer;
    this.memory = memory;
    this.preview = new Preview();
    this.subscriptions = [
      this.preview,
      vscode.commands.registerCommand('tandem.rewriteSelection', (instruction?: unknown) =>
        this.run(typeof instruction === 'string' ? instruction : undefined),
      ),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What the whole command does. Without an instruction, for a key binding of the user's own, it asks. */
  private async run(given?: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      void vscode.window.showInformationMessage('Tandem: open the file to rewrite first.');
      return;
    }
    const refusal = this.refusal(editor.document);
    if (refusal) {
      void vscode.window.showWarningMessage(`Tandem: ${refusal}.`);
      return;
    }
    const range: vscode.Range = editor.selection;
    const instruction = (given ?? (await this.ask(editor, range)))?.trim();
    if (!instruction) {
      return;
    }
    await this.memory.update(HISTORY, remember(this.memory.get(HISTORY, []), instruction));
    await this.make({ document: editor.document, range, instruction });
  }

  /** Why nothing can be rewritten in this document, before the user has typed an instruction for it. */
  private refusal(document: vscode.TextDocument): string | undefined {
    if (!isFollowed(document)) {
      return `only files on disk and unsaved ones can be rewritten, and this is \`${document.uri.scheme}\``;
    }
    if (vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) === false) {
      return 'this file cannot be changed';
    }
    return this.server.client ? undefined : (this.server.failure ?? 'the server is not running');
  }

  /** A box with what was asked before below it. */
  private ask(editor: vscode.TextEditor, range: vscode.Range): Promise<string | undefined> {
    const box = vscode.window.createQuickPick();
    const earlier = history(this.memory.get(HISTORY, []));
    const icon = new vscode.ThemeIcon('history');
    const list = () => {
      const typed = box.value.trim();
      const rows: vscode.QuickPickItem[] = earlier
        .filter((label) => label !== typed)
        .map((label) => ({ label, iconPath: icon }));
      if (typed === '') {
        box.items = rows;
      } else {
        const row = { label: typed, iconPath: new vscode.ThemeIcon('edit'), alwaysShow: true };
        box.items = [row, ...rows];
        box.activeItems = [row];
      }
    };
    let changedAt = 0;
    box.title = `Rewrite ${where(editor, range)}`;
    box.placeholder = 'What is to change? For example: return a Result instead of panicking';
    list();
    box.onDidChangeValue(() => {
      changedAt = Date.now();
      list();
    });
    return new Promise((resolve) => {
      box.onDidAccept(() => {
        // The list is drawn a moment after the last letter: until then, what is marked in it is of an older text.
        const isDrawn = Date.now() - changedAt > DRAWN_AFTER_MS;
        resolve((isDrawn ? box.selectedItems[0]?.label : undefined) ?? box.value);
        box.hide();
      });
      box.onDidHide(() => {
        resolve(undefined);
        box.dispose();
      });
      box.show();
    });
  }

  private async make(request: Request): Promise<void> {
    const client = this.server.client;
    if (!client) {
      return;
    }
    const version = request.document.version;
    const hasPreview = settings().get<boolean>('rewrite.preview', true);
    let answer: Rewritten;
    try {
      answer = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: `Tandem: ${request.instruction}`, cancellable: true },
        (_, token) => send(client, request, version, hasPreview, token),
      );
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        await this.refused(request, error);
      }
      return;
    }
    this.onDidAnswer();
    const who = answer.model ?? 'the local engine';
    if (!answer.edit) {
      const flags = answer.flags?.length ? `; check: ${answer.flags.join('; ')}` : '';
      vscode.window.setStatusBarMessage(`Tandem: rewritten by ${who}${flags}`, 5000);
      return;
    }
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(answer.edit);
    const outcome = await this.preview.show(edit, { instruction: request.instruction, who, flags: answer.flags ?? [] });
    if (outcome === 'outdated') {
      await this.again(request, 'the file has changed since, so this rewrite was not applied');
    }
  }

  private async refused(request: Request, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    // -32801: the document moved on (LSP 3.17, "ContentModified"); asking again can help.
    if (error instanceof ResponseError && error.code === -32801) {
      await this.again(request, message.replace(/^Tandem: /, ''));
    } else {
      void vscode.window.showWarningMessage(message.startsWith('Tandem') ? message : `Tandem: ${message}`);
    }
  }

  private async again(request: Request, why: string): Promise<void> {
    const picked = await vscode.window.showWarningMessage(`Tandem: ${why}.`, 'Ask Again');
    if (picked) {
      const editor = await vscode.window.showTextDocument(request.document);
      await this.make({ ...request, range: editor.selection });
    }
  }
}

async function send(
  client: LanguageClient,
  request: Request,
  version: number,
  preview: boolean,
  token: CancellationToken,
): Promise<Rewritten> {
  const converter = client.code2ProtocolConverter;
  const argument = {
    textDocument: { uri: converter.asUri(request.document.uri), version },
    range: converter.asRange(request.range),
    instruction: request.instruction,
    preview,
  };
  const params = { command: 'tandem.rewrite', arguments: [argument] };
  try {
    return await client.sendRequest<Rewritten>('workspace/executeCommand', params, token);
  } catch (error) {
    if (token.isCancellationRequested) {
      throw new vscode.CancellationError();
    }
    throw error;
  }
}

function where(editor: vscode.TextEditor, range: vscode.Range): string {
  const name = vscode.workspace.asRelativePath(editor.document.uri).split('/').at(-1);
  const from = range.start.line + 1;
  if (range.isEmpty) {
    return `what begins on line ${from} of ${name}`;
  }
  const to = range.end.line + 1;
  return from === to ? `line ${from} of ${name}` : `lines ${from} to ${to} of ${name}`;
}
