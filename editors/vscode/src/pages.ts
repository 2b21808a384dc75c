// Texts for the user to read, which may grow: answers and explanations, with links to the places that they name.

import * as vscode from 'vscode';

const SCHEME = 'tandem-text';

/** A place that a text names as `path:line`. */
export interface Place {
  readonly path: string;
  readonly uri: vscode.Uri;
  /** Counted from 0. */
  readonly line: number;
}

/** A text on screen, once there is some. */
export interface Page {
  /** Replaces the text. */
  show(text: string, places?: readonly Place[]): Promise<void>;
}

export class Pages implements vscode.Disposable, vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider {
  readonly onDidChange: vscode.Event<vscode.Uri>;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly texts = new Map<string, { text: string; places: readonly Place[] }>();
  private readonly subscriptions: vscode.Disposable[];
  private count = 0;

  constructor() {
    this.onDidChange = this.changed.event;
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** A new page, which comes on screen with its first text. */
  page(title: string): Page {
    this.count += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title} ${this.count}.md` });
    let opened: Thenable<unknown> | undefined;
    return {
      show: async (text, places = []) => {
        if (opened && !this.texts.has(uri.toString())) {
          // The user has closed it.
          return;
        }
        this.texts.set(uri.toString(), { text, places });
        this.changed.fire(uri);
        opened ??= vscode.window.showTextDocument(uri, {
          viewColumn: vscode.ViewColumn.Beside,
          // A place that is gone to from here does not take its place.
          preview: false,
          preserveFocus: true,
        });
        await opened;
      },
    };
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString())?.text ?? '';
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const text = document.getText();
    return (this.texts.get(document.uri.toString())?.places ?? []).flatMap(({ path, uri, line }) => {
      const name = `${path}:${line + 1}`;
      const links: vscode.DocumentLink[] = [];
      for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
        const [before, after] = [text.charAt(at - 1), text.charAt(at + name.length)];
        if (!/[\w/.-]/.test(before) && !/\d/.test(after)) {
          const range = new vscode.Range(document.positionAt(at), document.positionAt(at + name.length));
          links.push(new vscode.DocumentLink(range, uri.with({ fragment: `L${line + 1}` })));
        }
      }
      return links;
    });
  }
}
