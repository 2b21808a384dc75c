// The files that an edit changes, and an edit of some of them. Plain functions, data in and data out.

import type * as lsp from 'vscode-languageclient';

type Operation = NonNullable<lsp.WorkspaceEdit['documentChanges']>[number];

/** What an edit does with one file. */
export interface FileChange {
  /** Where it is now; undefined for a new one. */
  readonly from: string | undefined;
  /** Where it is then; undefined for one that is deleted. */
  readonly to: string | undefined;
  /** In the order in which they are made. */
  readonly operations: readonly Operation[];
}

/** The files of an edit, in its order. */
export function files(edit: lsp.WorkspaceEdit): FileChange[] {
  const found: { from: string | undefined; to: string | undefined; operations: Operation[] }[] = [];
  for (const operation of operations(edit)) {
    const uri =
      'kind' in operation ? ('oldUri' in operation ? operation.oldUri : operation.uri) : operation.textDocument.uri;
    let file = found.find((it) => it.to === uri);
    if (!file) {
      file = { from: uri, to: uri, operations: [] };
      found.push(file);
    }
    file.operations.push(operation);
    if ('kind' in operation) {
      switch (operation.kind) {
        case 'create':
          file.from = undefined;
          break;
        case 'rename':
          file.to = operation.newUri;
          break;
        case 'delete':
          file.to = undefined;
          break;
      }
    }
  }
  return found;
}

function operations(edit: lsp.WorkspaceEdit): Operation[] {
  return (
    edit.documentChanges ??
    Object.entries(edit.changes ?? {}).map(([uri, edits]) => ({ textDocument: { uri, version: null }, edits }))
  );
}

/** The edits of a file's text. */
export function textEdits(file: FileChange): lsp.TextEdit[] {
  return file.operations.flatMap((it) => ('kind' in it ? [] : it.edits)).filter((it) => 'newText' in it);
}

/** Whether a document has another text than the one that a file's change was made for. */
export function isOutdated(
  file: FileChange,
  document: { readonly version: number; readonly isDirty: boolean },
): boolean {
  return file.operations.some((it) => {
    if ('kind' in it) {
      return false;
    }
    // The server has read a file without a version from disk.
    const { version } = it.textDocument;
    return version === null ? document.isDirty : version !== document.version;
  });
}

/** The edit of some files. The user has chosen them, so that no annotation asks for a confirmation. */
export function editOf(chosen: readonly FileChange[]): lsp.WorkspaceEdit {
  const documentChanges = chosen.flatMap((file) => file.operations.map(withoutAnnotation));
  return { documentChanges };
}

function withoutAnnotation(operation: Operation): Operation {
  if ('kind' in operation) {
    const { annotationId: _, ...rest } = operation;
    return rest;
  }
  const edits = operation.edits.map((edit) => {
    const { annotationId: _, ...rest } = edit as lsp.AnnotatedTextEdit;
    return rest;
  });
  return { ...operation, edits };
}
