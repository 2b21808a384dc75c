// Draws a next edit with decorations: the API for such suggestions is closed to extensions outside VS Code.

import * as vscode from 'vscode';
import { box, type Colours, COMING } from './box';
import type { Hunk, Piece } from './hunk';

/** What Tab does, said at the place where it does it. */
export interface Hint {
  readonly line: number;
  readonly text: string;
}

export class Drawing implements vscode.Disposable {
  private readonly insertion: vscode.TextEditorDecorationType;
  private readonly deletion: vscode.TextEditorDecorationType;
  private readonly sign: vscode.TextEditorDecorationType;
  private readonly hint: vscode.TextEditorDecorationType;
  /** Each box is a picture of its own, which only a type of its own can have. */
  private boxes: vscode.TextEditorDecorationType[] = [];

  constructor(extension: vscode.Uri) {
    const make = vscode.window.createTextEditorDecorationType;
    const picture = (theme: string) => vscode.Uri.joinPath(extension, 'resources', `next-edit-${theme}.svg`);
    const closed = vscode.DecorationRangeBehavior.ClosedClosed;
    this.insertion = make({ rangeBehavior: closed });
    this.deletion = make({
      rangeBehavior: closed,
      textDecoration: 'line-through',
      backgroundColor: new vscode.ThemeColor('diffEditor.removedTextBackground'),
    });
    this.sign = make({
      isWholeLine: true,
      light: { gutterIconPath: picture('light') },
      dark: { gutterIconPath: picture('dark') },
      gutterIconSize: '70%',
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
    this.hint = make({ rangeBehavior: closed });
  }

  dispose(): void {
    vscode.Disposable.from(this.insertion, this.deletion, this.sign, this.hint, ...this.boxes).dispose();
  }

  /** @param hunk What to draw; without, only the hint, for the edit is in another file. */
  draw(editor: vscode.TextEditor, hunk: Hunk | undefined, hint: Hint): void {
    this.clear(editor);
    const pieces = hunk?.pieces ?? [];
    editor.setDecorations(this.deletion, pieces.flatMap(deleted));
    editor.setDecorations(this.insertion, pieces.flatMap(inserted));
    editor.setDecorations(this.sign, hunk ? [new vscode.Range(hunk.at.line, 0, hunk.at.line, 0)] : []);
    for (const piece of pieces) {
      if (piece.kind === 'lines') {
        this.drawBox(editor, piece.after, piece.text);
      }
    }
    const end = endOf(editor.document, hint.line);
    const after: vscode.ThemableDecorationAttachmentRenderOptions = {
      contentText: hint.text,
      color: new vscode.ThemeColor('editorCodeLens.foreground'),
      backgroundColor: new vscode.ThemeColor('editorWidget.background'),
      border: '1px solid',
      borderColor: new vscode.ThemeColor('editorWidget.border'),
      margin: '0 0 0 2ch',
      // Small, and not part of the text: the only way to say so is CSS.
      textDecoration: 'none; font-size: 0.85em; padding: 0 0.5em; border-radius: 3px',
    };
    editor.setDecorations(this.hint, [{ range: new vscode.Range(end, end), renderOptions: { after } }]);
  }

  clear(editor: vscode.TextEditor): void {
    for (const type of [this.insertion, this.deletion, this.sign, this.hint]) {
      editor.setDecorations(type, []);
    }
    vscode.Disposable.from(...this.boxes).dispose();
    this.boxes = [];
  }

  /** Lines that come, drawn over the right half of those below: decorations cannot push lines apart. */
  private drawBox(editor: vscode.TextEditor, after: number, lines: readonly string[]): void {
    const line = Math.max(after, 0);
    const tabSize = typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
    const font = vscode.workspace.getConfiguration('editor', editor.document);
    const options = {
      lines,
      tabSize,
      fontFamily: font.get<string>('fontFamily', 'monospace'),
      fontSize: font.get<number>('fontSize', 14),
      lineHeight: font.get<number>('lineHeight', 0),
    };
    // So far to the right that it covers no text that stays.
    const end = endOf(editor.document, line);
    const widest = Math.max(
      ...lines.map((_, index) => width(editor.document, line + index, tabSize)),
      width(editor.document, line, tabSize),
    );
    const margin = `0 0 0 ${widest - width(editor.document, line, tabSize) + 3}ch`;
    const attachment = (isDark: boolean): vscode.ThemableDecorationRenderOptions => ({
      after: {
        contentIconPath: vscode.Uri.parse(
          `data:image/svg+xml;base64,${Buffer.from(box(options, isDark)).toString('base64')}`,
        ),
        margin,
        // Out of the line, which would cut it off; there is no other way than CSS.
        textDecoration: 'none; position: absolute; z-index: 100; pointer-events: none',
      },
    });
    const type = vscode.window.createTextEditorDecorationType({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      light: attachment(false),
      dark: attachment(true),
    });
    this.boxes.push(type);
    editor.setDecorations(type, [new vscode.Range(end, end)]);
  }
}

function deleted(piece: Piece): vscode.DecorationOptions[] {
  return piece.kind === 'delete' ? [{ range: new vscode.Range(piece.line, piece.from, piece.line, piece.to) }] : [];
}

function inserted(piece: Piece): vscode.DecorationOptions[] {
  if (piece.kind !== 'insert') {
    return [];
  }
  // Spaces would be drawn as one.
  const contentText = piece.text.replaceAll('\t', '    ').replaceAll(' ', '\u00a0');
  const attachment = ({ text, fill }: Colours): vscode.ThemableDecorationRenderOptions => ({
    before: { contentText, color: text, backgroundColor: fill },
  });
  const renderOptions = { light: attachment(COMING.light), dark: attachment(COMING.dark) };
  return [{ range: new vscode.Range(piece.line, piece.at, piece.line, piece.at), renderOptions }];
}

function endOf(document: vscode.TextDocument, line: number): vscode.Position {
  return document.lineAt(Math.min(line, document.lineCount - 1)).range.end;
}

/** A line's width in columns, tabs as wide as they are drawn. */
function width(document: vscode.TextDocument, line: number, tabSize: number): number {
  if (line >= document.lineCount) {
    return 0;
  }
  let columns = 0;
  for (const character of document.lineAt(line).text) {
    columns += character === '\t' ? tabSize - (columns % tabSize) : character.codePointAt(0)! > 0x10ff ? 2 : 1;
  }
  return columns;
}
