// Questions about the workspace: an answer that grows, above the places that it names.

import * as vscode from 'vscode';
import { ProgressType } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Pages, Place } from './pages';
import type { Answered } from './protocol';
import { isSupported, type Server } from './server';
import { execute, showFailure } from './work';

const PARTIAL = new ProgressType<{ text?: string }>();

export class Ask implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private readonly server: Server;
  private readonly pages: Pages;
  private count = 0;

  constructor(server: Server, pages: Pages) {
    this.server = server;
    this.pages = pages;
    this.subscription = vscode.commands.registerCommand('tandem.askWorkspace', (question?: unknown) =>
      this.run(typeof question === 'string' ? question : undefined),
    );
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Runs the command. Key bindings may pass the question; without one, the user is prompted. */
  private async run(preset?: string): Promise<void> {
    const client = this.server.require();
    if (!client) {
      return;
    }
    const editor = vscode.window.activeTextEditor;
    const name = editor && nameAt(editor);
    const question =
      preset ??
      (await vscode.window.showInputBox({
        title: 'Ask about the workspace',
        placeHolder: 'For example: where are settings loaded?',
        prompt: name ? `Leave it empty to ask what ${name} is, and how it is used.` : '',
      }));
    const words = question?.trim();
    if (words) {
      await this.answer(client, words, { question: words });
    } else if (question !== undefined && editor && name) {
      const converter = client.code2ProtocolConverter;
      await this.answer(client, name, {
        textDocument: { uri: converter.asUri(editor.document.uri) },
        position: converter.asPosition(editor.selection.active),
      });
    }
  }

  private async answer(client: LanguageClient, title: string, about: object): Promise<void> {
    this.count += 1;
    const token = `tandem-ask-${this.count}`;
    const page = this.pages.page('Answer');
    let text = '';
    const growing = client.onProgress(PARTIAL, token, (more) => {
      text += more.text ?? '';
      void page.show(text);
    });
    try {
      const argument = { ...about, reply: true, partialResultToken: token };
      const answer = await execute<Answered>(client, title, 'tandem.ask', argument);
      if (!answer) {
        return;
      }
      const { reply, answers } = answer;
      const rows = (reply?.places ?? answers).map((it) => {
        const uri = client.protocol2CodeConverter.asUri(it.uri);
        const path = it.path ?? vscode.workspace.asRelativePath(uri);
        const place: Place = { path, uri, line: it.range.start.line };
        return { place, row: `${path}:${place.line + 1}: ${it.text ?? it.signature ?? ''}` };
      });
      if (!reply && rows.length === 0) {
        void vscode.window.showInformationMessage(
          'Tandem: no name and no doc comment in the project matches the question.',
        );
        return;
      }
      // Lines of Markdown run into each other without a blank line or a list between them.
      const below = rows.map(({ row }) => `- ${row}`).join('\n');
      const whole = [reply?.text.trimEnd(), below].filter(Boolean).join('\n\n');
      await page.show(
        `${whole}\n`,
        rows.map(({ place }) => place),
      );
    } catch (error) {
      await showFailure(error);
    } finally {
      growing.dispose();
    }
  }
}

/** The name at the cursor of a file that the server knows. */
function nameAt({ document, selection }: vscode.TextEditor): string | undefined {
  const range = isSupported(document) ? document.getWordRangeAtPosition(selection.active) : undefined;
  return range && document.getText(range);
}
