// Rewrites by instruction: prompts for one, sends it, shows the change as a preview and applies it.

import * as vscode from 'vscode';
import { type CancellationToken, ResponseError } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { history, remember } from './history';
import { Preview } from './preview';
import type { Rewritten, Target } from './protocol';
import { rewriteTitle } from './rewriteTitle';
import { isSupported, SELECTOR, type Server, settings } from './server';

const HISTORY_KEY = 'tandem.instructions';
const PROMPT_KIND = vscode.CodeActionKind.RefactorRewrite.append('tandem.prompt');
/** VS Code redraws the list within this time; a choice within it refers to an older list. */
const LIST_RENDER_MS = 250;

interface Request {
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  readonly instruction: string;
}

export class Rewrite implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly storage: vscode.Memento;
  private readonly preview: Preview;
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
  });
  private readonly onDidAnswer: () => void;

  constructor(server: Server, storage: vscode.Memento, onDidAnswer: () => void) {
    this.server = server;
    this.onDidAnswer = onDidAnswer;
    this.storage = storage;
    this.preview = new Preview();
    this.subscriptions = [
      this.preview,
      this.highlight,
      vscode.commands.registerCommand('tandem.rewriteSelection', (instruction?: unknown) =>
        this.run(typeof instruction === 'string' ? instruction : undefined),
      ),
      // Beside the other jobs for selected code, which the server offers.
      vscode.languages.registerCodeActionsProvider(
        SELECTOR,
        { provideCodeActions: (_, range, context) => this.codeActions(range, context) },
        { providedCodeActionKinds: [PROMPT_KIND] },
      ),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** The action that prompts for an instruction, when the user asks what can be done with a selection. */
  private codeActions(range: vscode.Range, context: vscode.CodeActionContext): vscode.CodeAction[] {
    if (range.isEmpty || context.triggerKind !== vscode.CodeActionTriggerKind.Invoke || !this.server.client) {
      return [];
    }
    const action = new vscode.CodeAction('Tandem: rewrite…', PROMPT_KIND);
    action.command = { title: 'Rewrite…', command: 'tandem.rewriteSelection' };
    return [action];
  }

  /** Runs the command. Key bindings may pass the instruction; without one, the user is prompted. */
  private async run(preset?: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      void vscode.window.showInformationMessage('Tandem: open the file to rewrite first.');
      return;
    }
    const obstacle = this.obstacle(editor.document);
    if (obstacle) {
      void vscode.window.showWarningMessage(`Tandem: ${obstacle}.`);
      return;
    }
    const range: vscode.Range = editor.selection;
    const instruction = (preset ?? (await this.promptInstruction(editor, range)))?.trim();
    if (!instruction) {
      return;
    }
    await this.storage.update(HISTORY_KEY, remember(this.storage.get(HISTORY_KEY, []), instruction));
    await this.execute({ document: editor.document, range, instruction });
  }

  /** Why this document cannot be rewritten; checked before the user types an instruction. */
  private obstacle(document: vscode.TextDocument): string | undefined {
    if (!isSupported(document)) {
      return `only local and unsaved files can be rewritten, and this one is \`${document.uri.scheme}\``;
    }
    if (vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) === false) {
      return 'this file cannot be changed';
    }
    return this.server.client ? undefined : (this.server.failure ?? 'the server is not running');
  }

  /** An input box that lists earlier instructions. */
  private promptInstruction(editor: vscode.TextEditor, range: vscode.Range): Promise<string | undefined> {
    const box = vscode.window.createQuickPick();
    const earlier = history(this.storage.get(HISTORY_KEY, []));
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
    const file = vscode.workspace.asRelativePath(editor.document.uri).split('/').at(-1)!;
    box.title = rewriteTitle(file, range.start.line, range.end.line);
    void this.showTarget(box, editor, range, file);
    box.placeholder = 'Describe the change. For example: return a Result instead of panicking';
    list();
    box.onDidChangeValue(() => {
      changedAt = Date.now();
      list();
    });
    return new Promise((resolve) => {
      box.onDidAccept(() => {
        // Until the list is redrawn after the last key, its active row belongs to an older input.
        const isDrawn = Date.now() - changedAt > LIST_RENDER_MS;
        resolve((isDrawn ? box.selectedItems[0]?.label : undefined) ?? box.value);
        box.hide();
      });
      box.onDidHide(() => {
        editor.setDecorations(this.highlight, []);
        resolve(undefined);
        box.dispose();
      });
      box.show();
    });
  }

  /** Names in the box what will be rewritten, and highlights its lines. */
  private async showTarget(
    box: vscode.QuickPick<vscode.QuickPickItem>,
    editor: vscode.TextEditor,
    range: vscode.Range,
    file: string,
  ): Promise<void> {
    let isOpen = true;
    box.onDidHide(() => {
      isOpen = false;
    });
    const client = this.server.client;
    const converter = client?.code2ProtocolConverter;
    const argument = converter && {
      textDocument: { uri: converter.asUri(editor.document.uri), version: editor.document.version },
      range: converter.asRange(range),
      show: true,
    };
    try {
      const params = { command: 'tandem.rewrite', arguments: [argument] };
      const answer = await client?.sendRequest<Target>('workspace/executeCommand', params);
      if (answer?.target && isOpen) {
        const { name, range: lines } = answer.target;
        box.title = rewriteTitle(file, lines.start.line, lines.end.line, name);
        editor.setDecorations(this.highlight, [new vscode.Range(lines.start.line, 0, lines.end.line, 0)]);
      }
    } catch (error) {
      // The title names the selection then.
      this.server.log.debug(`tandem.rewrite: ${String(error)}`);
    }
  }

  private async execute(request: Request): Promise<void> {
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
        await this.showFailure(request, error);
      }
      return;
    }
    this.onDidAnswer();
    const source = answer.model ?? 'the local engine';
    if (!answer.edit) {
      const flags = answer.flags?.length ? `; check: ${answer.flags.join('; ')}` : '';
      vscode.window.setStatusBarMessage(`Tandem: rewritten by ${source}${flags}`, 5000);
      return;
    }
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(answer.edit);
    const outcome = await this.preview.show(edit, {
      instruction: request.instruction,
      source,
      flags: answer.flags ?? [],
    });
    if (outcome === 'outdated') {
      await this.offerRetry(request, 'the file has changed since, so this rewrite was not applied');
    }
  }

  private async showFailure(request: Request, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    // -32801 is ContentModified (LSP 3.17): the document changed, so a retry can succeed.
    if (error instanceof ResponseError && error.code === -32801) {
      await this.offerRetry(request, message.replace(/^Tandem: /, ''));
    } else if (error instanceof ResponseError && hasReason(error.data, 'no-model')) {
      const setUp = 'Set Up a Model…';
      if ((await vscode.window.showWarningMessage(message, setUp)) === setUp) {
        await vscode.commands.executeCommand('tandem.setUpModel');
      }
    } else {
      void vscode.window.showWarningMessage(message.startsWith('Tandem') ? message : `Tandem: ${message}`);
    }
  }

  /** Reports a failure that a retry can mend, and offers one. */
  private async offerRetry(request: Request, why: string): Promise<void> {
    const picked = await vscode.window.showWarningMessage(`Tandem: ${why}.`, 'Ask Again');
    if (picked) {
      const editor = await vscode.window.showTextDocument(request.document);
      await this.execute({ ...request, range: editor.selection });
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

/** Whether an error's data names this reason. See editors/protocol.md, Errors. */
function hasReason(data: unknown, reason: string): boolean {
  return typeof data === 'object' && data !== null && 'reason' in data && data.reason === reason;
}
