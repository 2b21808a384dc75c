const vscode = require('vscode');

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
  context.subscriptions.push(
    found,
    vscode.workspace.onDidOpenTextDocument(compile),
    vscode.workspace.onDidChangeTextDocument((event) => compile(event.document)),
  );
};
