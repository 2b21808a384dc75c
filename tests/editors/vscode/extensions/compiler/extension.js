const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

/** Whether the workspace has a file of this name. */
const has = (name) =>
  (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => fs.existsSync(path.join(uri.fsPath, name)));

exports.activate = (context) => {
  const found = vscode.languages.createDiagnosticCollection('compiler');
  const compile = (document) => {
    const problems = [...document.getText().matchAll(/heigth/g)].map(({ index }) => {
      const range = new vscode.Range(document.positionAt(index), document.positionAt(index + 'heigth'.length));
      const message = 'cannot find value `heigth`; a variable with a similar name exists: `height`';
      const problem = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Error);
      problem.source = 'compiler';
      problem.code = 'E0425';
      return problem;
    });
    found.set(document.uri, problems);
  };
  vscode.workspace.textDocuments.forEach(compile);
  context.subscriptions.push(found, vscode.workspace.onDidOpenTextDocument(compile));
  // Like most compilers, it may look at what is saved alone.
  context.subscriptions.push(
    has('compiler-is-slow')
      ? vscode.workspace.onDidSaveTextDocument(compile)
      : vscode.workspace.onDidChangeTextDocument((event) => compile(event.document)),
  );
  if (has('renamer-is-active')) {
    // By words, in all files; it knows the names of declarations alone, and never answers for one that is called `width`.
    const provideRenameEdits = async (document, position, to) => {
      const from = document.getText(document.getWordRangeAtPosition(position));
      if (from === 'width') {
        return new Promise(() => {});
      }
      const declared = vscode.workspace.textDocuments.some((it) => it.getText().includes(`fn ${from}(`));
      if (!declared) {
        throw new Error(`${from} is not declared`);
      }
      const edit = new vscode.WorkspaceEdit();
      const folder = vscode.workspace.workspaceFolders[0].uri;
      for (const name of fs.readdirSync(folder.fsPath).filter((it) => it.endsWith('.rs'))) {
        const uri = vscode.Uri.joinPath(folder, name);
        const it = await vscode.workspace.openTextDocument(uri);
        for (const { index } of it.getText().matchAll(new RegExp(`\\b${from}\\b`, 'g'))) {
          edit.replace(uri, new vscode.Range(it.positionAt(index), it.positionAt(index + from.length)), to);
        }
      }
      return edit;
    };
    context.subscriptions.push(vscode.languages.registerRenameProvider('rust', { provideRenameEdits }));
  }
  if (has('formatter-is-active')) {
    // It adds the second line backwards, once, which tells what it saw.
    const provideDocumentFormattingEdits = (document) => {
      const seen = [...document.lineAt(1).text.trim()].reverse().join('');
      const end = document.lineAt(document.lineCount - 1).range.end;
      return document.getText().includes('//') ? [] : [vscode.TextEdit.insert(end, `// ${seen}\n`)];
    };
    context.subscriptions.push(
      vscode.languages.registerDocumentFormattingEditProvider('*', { provideDocumentFormattingEdits }),
    );
  }
};
