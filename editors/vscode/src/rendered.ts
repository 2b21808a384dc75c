// Markdown of a model, shown as it reads.
//
// VS Code's own preview fetches pictures from anywhere. The text is a model's, and a model can be led by the code that
// it reads: a picture's address could carry that code away. The page here runs no script and fetches nothing.

import * as vscode from 'vscode';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
body { max-width: 50em; padding: 0.5em 1.5em; line-height: 1.5; }
code, pre { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
pre { padding: 0.8em; overflow: auto; background: var(--vscode-textCodeBlock-background); }
blockquote { margin: 0; padding-left: 1em; border-left: 3px solid var(--vscode-textBlockQuote-border); }
table { border-collapse: collapse; }
th, td { padding: 0.2em 0.8em; border: 1px solid var(--vscode-panel-border); }
`;

/** The HTML of a Markdown text, or undefined if VS Code's Markdown extension is switched off. */
export async function rendered(markdown: string): Promise<string | undefined> {
  try {
    return await vscode.commands.executeCommand<string>('markdown.api.render', markdown);
  } catch {
    return undefined;
  }
}

/** Opens a page beside the editor, which keeps the focus. */
export function showRendered(title: string, html: string): void {
  const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
  const options = { enableScripts: false, enableFindWidget: true, localResourceRoots: [] };
  const panel = vscode.window.createWebviewPanel('tandem.rendered', title, column, options);
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  panel.webview.html = `<!DOCTYPE html><html><head>${policy}<style>${STYLE}</style></head><body>${html}</body></html>`;
}
