// Rewrites by instruction: prompts for one, sends it, shows the change as a preview and applies it.

import * as vscode from 'vscode';
import type * as lsp from 'vscode-languageclient';
import { ResponseError } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import { history, remember } from './history';
import { warn } from './messages';
import { files as filesOf, isOutdated } from './changeSet';
import { goOn } from './left';
import type { Left, Rewritten, Target } from './protocol';
import { rewriteTitle } from './rewriteTitle';
import { isSupported, SELECTOR, type Server, settings } from './server';
import type { Change, Preview, PreviewedFile } from './preview';
import { applyReplacements, NO_EDITS, replacement } from './replacements';
import { execute, reason, showFailure } from './work';

const HISTORY_KEY = 'tandem.instructions';
const PROMPT_KIND = vscode.CodeActionKind.RefactorRewrite.append('tandem.prompt');
/** VS Code redraws the list within this time; a choice within it refers to an older list. */
const LIST_RENDER_MS = 250;

interface Request {
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  /** The instruction, as it is shown. */
  readonly title: string;
  readonly command: 'tandem.rewrite' | 'tandem.job';
  /** What the command's argument has beside the place. */
  readonly what: { readonly instruction: string } | { readonly job: string };
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

  constructor(server: Server, storage: vscode.Memento, preview: Preview, onDidAnswer: () => void) {
    this.server = server;
    this.onDidAnswer = onDidAnswer;
    this.storage = storage;
    this.preview = preview;
    this.subscriptions = [
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
      void warn(obstacle);
      return;
    }
    const range: vscode.Range = editor.selection;
    const instruction = (preset ?? (await this.promptInstruction(editor, range)))?.trim();
    if (!instruction) {
      return;
    }
    await this.storage.update(HISTORY_KEY, remember(this.storage.get(HISTORY_KEY, []), instruction));
    const { document } = editor;
    await this.execute({ document, range, title: instruction, command: 'tandem.rewrite', what: { instruction } });
  }

  /** Does one of the jobs that rewrite the selected lines. */
  async job(editor: vscode.TextEditor, job: string, title: string): Promise<void> {
    const { document, selection } = editor;
    const obstacle = this.obstacle(document);
    if (obstacle) {
      void warn(obstacle);
      return;
    }
    await this.execute({ document, range: selection, title, command: 'tandem.job', what: { job } });
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
    const { version, uri } = request.document;
    const converter = client.code2ProtocolConverter;
    const argument = {
      ...request.what,
      textDocument: { uri: converter.asUri(uri), version },
      range: converter.asRange(request.range),
      preview: settings().get<boolean>('rewrite.preview', true),
    };
    let answer: Rewritten | undefined;
    try {
      answer = await execute<Rewritten>(client, request.title, request.command, argument);
    } catch (error) {
      await this.showFailure(request, error);
    }
    if (!answer) {
      return;
    }
    this.onDidAnswer();
    const source = answer.model ?? 'the local engine';
    if (!answer.edit) {
      const flags = answer.flags?.length ? `; check: ${answer.flags.join('; ')}` : '';
      vscode.window.setStatusBarMessage(`Tandem: rewritten by ${source}${flags}`, 5000);
      await this.offerRest(client, request.document, answer.left);
      return;
    }
    const change = await previewed(client, answer.edit, request.title, source, answer.flags);
    const outcome = change ? await this.preview.show(change) : 'outdated';
    if (outcome === 'outdated') {
      await this.offerRetry(request, 'the file has changed since, so this rewrite was not applied');
    } else if (outcome === 'applied') {
      await this.offerRest(client, request.document, answer.left);
    }
  }

  /** Offers to go on with the uses that no longer fit. */
  private async offerRest(client: LanguageClient, document: vscode.TextDocument, left?: Left): Promise<void> {
    if (!left) {
      return;
    }
    const { length } = left.places;
    const count = length === 1 ? '1 line elsewhere no longer fits' : `${length} lines elsewhere no longer fit`;
    const label = left.instruction === undefined ? 'Show Them' : 'Plan the Rest…';
    if ((await vscode.window.showInformationMessage(`Tandem: ${count}.`, label)) === label) {
      await goOn(client, await vscode.window.showTextDocument(document), left);
    }
  }

  private async showFailure(request: Request, error: unknown): Promise<void> {
    // -32801 is ContentModified (LSP 3.17): the document changed, so a retry can succeed.
    if (error instanceof ResponseError && error.code === -32801) {
      await this.offerRetry(request, reason(error).replace(/^Tandem: /, ''));
    } else {
      await showFailure(error);
    }
  }

  /** Reports a failure that a retry may fix, and offers one. */
  private async offerRetry(request: Request, why: string): Promise<void> {
    const picked = await vscode.window.showWarningMessage(`Tandem: ${why}.`, 'Ask Again');
    if (picked) {
      const editor = await vscode.window.showTextDocument(request.document);
      await this.execute({ ...request, range: editor.selection });
    }
  }
}

/** A rewrite, as it is shown; undefined if a file has changed since it was made. */
async function previewed(
  client: LanguageClient,
  answer: lsp.WorkspaceEdit,
  title: string,
  source: string,
  flags: readonly string[] = [],
): Promise<Change | undefined> {
  const changes = answer.documentChanges ? filesOf(answer) : [];
  const edit = await client.protocol2CodeConverter.asWorkspaceEdit(answer);
  const files: PreviewedFile[] = [];
  for (const [uri, edits] of edit.entries()) {
    const document = await vscode.workspace.openTextDocument(uri);
    const own = client.code2ProtocolConverter.asUri(uri);
    if (changes.some((it) => it.from === own && isOutdated(it, document))) {
      return undefined;
    }
    const replacements = edits.map(({ range, newText }) => replacement(document, range, newText));
    const text = applyReplacements(document.getText(), replacements);
    files.push({ from: uri, to: uri, text, version: document.version });
  }
  const scope = files.length === 1 ? 'rewritten' : `${files.length} files rewritten`;
  const check = flags.length > 0 ? ` Check: ${flags.join('; ')}.` : '';
  const apply = async (chosen: readonly PreviewedFile[]) => {
    for (const { from } of files.filter((file) => !chosen.includes(file))) {
      if (from) {
        edit.set(from, NO_EDITS);
      }
    }
    return vscode.workspace.applyEdit(edit);
  };
  return { title, said: `${scope} by ${source}.${check}`, files, apply };
}
