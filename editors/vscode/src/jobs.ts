// The other jobs of a pair: they explain, document, simplify, test or review the selected code.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Pages } from './pages';
import type { Plan } from './plan';
import type { Explained, Planned, Reviewed } from './protocol';
import type { Rewrite } from './rewrite';
import { rendered, showRendered } from './rendered';
import { isSupported, type Server } from './server';
import { execute, showFailure } from './work';

/** How long a message stays in the status bar. */
const MESSAGE_MS = 5000;

/** The jobs by their names, with what each does. */
const JOBS: Readonly<Record<string, string>> = {
  explain: 'explain this code',
  document: 'document this code',
  simplify: 'simplify this code',
  tests: 'write tests for this code',
  review: 'review this code',
};

export class Jobs implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly server: Server;
  private readonly pages: Pages;
  private readonly rewrite: Rewrite;
  private readonly plan: Plan;

  constructor(server: Server, pages: Pages, rewrite: Rewrite, plan: Plan) {
    this.server = server;
    this.pages = pages;
    this.rewrite = rewrite;
    this.plan = plan;
    this.subscriptions = Object.entries(JOBS).map(([name, what]) =>
      vscode.commands.registerCommand(`tandem.job.${name}`, () => this.run(name, what)),
    );
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async run(name: string, what: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !isSupported(editor.document)) {
      void vscode.window.showInformationMessage('Tandem: open the file first.');
      return;
    }
    if (name === 'document' || name === 'simplify') {
      await this.rewrite.job(editor, name, what);
      return;
    }
    const client = this.server.require();
    if (!client) {
      return;
    }
    try {
      await this.read(client, editor, name, what);
    } catch (error) {
      await showFailure(error);
    }
  }

  private async read(client: LanguageClient, editor: vscode.TextEditor, job: string, what: string): Promise<void> {
    const converter = client.code2ProtocolConverter;
    const { document, selection } = editor;
    const argument = {
      job,
      textDocument: { uri: converter.asUri(document.uri), version: document.version },
      range: converter.asRange(selection),
      preview: true,
    };
    const answer = await execute<Explained | Reviewed | Planned>(client, what, 'tandem.job', argument);
    if (!answer) {
      return;
    }
    if ('text' in answer) {
      await this.explain(answer.text);
    } else if ('findings' in answer && typeof answer.findings === 'number') {
      const findings = answer.findings === 1 ? '1 finding' : `${answer.findings} findings`;
      const said = answer.findings === 0 ? 'the review found nothing wrong' : `${findings} under Problems`;
      vscode.window.setStatusBarMessage(`Tandem: ${said}`, MESSAGE_MS);
    } else {
      await this.plan.preview(client, what, answer as Planned);
    }
  }

  /** Shows an explanation as it reads; as text where VS Code's Markdown is switched off. */
  private async explain(text: string): Promise<void> {
    const html = await rendered(text);
    if (html === undefined) {
      await this.pages.page('Explanation').show(`${text.trimEnd()}\n`);
    } else {
      showRendered('Explanation', html);
    }
  }
}
