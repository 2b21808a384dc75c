// Plans as documents that can be edited and saved, in memory.

import * as vscode from 'vscode';

export const SCHEME = 'tandem-plan';

interface Entry {
  readonly content: Uint8Array;
  readonly changed: number;
}

export class PlanFiles implements vscode.FileSystemProvider {
  readonly onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]> = new vscode.EventEmitter<vscode.FileChangeEvent[]>()
    .event;
  private readonly entries = new Map<string, Entry>();

  set(uri: vscode.Uri, text: string): void {
    this.writeFile(uri, new TextEncoder().encode(text));
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { content, changed } = this.entry(uri);
    return { type: vscode.FileType.File, ctime: changed, mtime: changed, size: content.byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.entry(uri).content;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    this.entries.set(uri.toString(), { content, changed: Date.now() });
  }

  delete(uri: vscode.Uri): void {
    this.entries.delete(uri.toString());
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private entry(uri: vscode.Uri): Entry {
    const entry = this.entries.get(uri.toString());
    if (!entry) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return entry;
  }
}
