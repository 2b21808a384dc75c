// Draws a next edit with decorations: VS Code keeps its own next edit API to itself.

import * as vscode from 'vscode';
import type { Hunk, Piece, Position } from './diff';
import { BLOCK_GAP, hintPlace, type Lines, widest } from './hintPlace';
import { type Colours, INSERTED_COLOURS, svgBlock } from './svgBlock';

/** A label that names the key and what it does. */
export interface Hint {
  /** What it is about: the cursor, or the start of the edit. */
  readonly at: Position;
  /** Whether the edit is above: the side on which the label goes if it is not at the end of the line. */
  readonly isAbove: boolean;
  readonly text: string;
}

export class Decorations implements vscode.Disposable {
  private readonly insertion: vscode.TextEditorDecorationType;
  private readonly deletion: vscode.TextEditorDecorationType;
  private readonly gutterMark: vscode.TextEditorDecorationType;
  private readonly hint: vscode.TextEditorDecorationType;
  /** One decoration type for each image: a type holds one image. */
  private blocks: vscode.TextEditorDecorationType[] = [];

  constructor(extension: vscode.Uri) {
    const createType = vscode.window.createTextEditorDecorationType;
    const iconPath = (theme: string) => vscode.Uri.joinPath(extension, 'resources', `next-edit-${theme}.svg`);
    const closed = vscode.DecorationRangeBehavior.ClosedClosed;
    this.insertion = createType({ rangeBehavior: closed });
    this.deletion = createType({
      rangeBehavior: closed,
      textDecoration: 'line-through',
      backgroundColor: new vscode.ThemeColor('diffEditor.removedTextBackground'),
    });
    this.gutterMark = createType({
      isWholeLine: true,
      light: { gutterIconPath: iconPath('light') },
      dark: { gutterIconPath: iconPath('dark') },
      gutterIconSize: '70%',
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
    this.hint = createType({ rangeBehavior: closed });
  }

  dispose(): void {
    vscode.Disposable.from(this.insertion, this.deletion, this.gutterMark, this.hint, ...this.blocks).dispose();
  }

  /** @param hunk The edit to draw. Without it, only the hint is drawn: the edit is in another file. */
  draw(editor: vscode.TextEditor, hunk: Hunk | undefined, hint: Hint): void {
    this.clear(editor);
    const pieces = hunk?.pieces ?? [];
    editor.setDecorations(this.deletion, pieces.flatMap(deletionRanges));
    editor.setDecorations(this.insertion, pieces.flatMap(insertionOptions));
    editor.setDecorations(this.gutterMark, hunk ? [new vscode.Range(hunk.at.line, 0, hunk.at.line, 0)] : []);
    for (const piece of pieces) {
      if (piece.kind === 'lines') {
        this.drawBlock(editor, piece.after, piece.text);
      }
    }
    this.drawHint(editor, hint, pieces);
  }

  /** Draws the hint at the end of its line; if that may be out of view, beside what it is about. */
  private drawHint(editor: vscode.TextEditor, { at, isAbove, text }: Hint, pieces: readonly Piece[]): void {
    const line = editor.document.lineAt(Math.min(at.line, editor.document.lineCount - 1));
    const place = hintPlace(linesOf(editor), at, pieces, isAbove ? 'above' : 'below');
    const isEnd = place.kind === 'end';
    // The label then covers a part of the line above or below, rather than move the text.
    const beside = 'position: absolute; z-index: 101; pointer-events: none';
    const style = isEnd ? '' : `; ${beside}${place.isLeft ? '; transform: translateX(-100%)' : ''}`;
    const after: vscode.ThemableDecorationAttachmentRenderOptions = {
      contentText: text,
      color: new vscode.ThemeColor('editorCodeLens.foreground'),
      backgroundColor: new vscode.ThemeColor('editorWidget.background'),
      border: '1px solid',
      borderColor: new vscode.ThemeColor('editorWidget.border'),
      margin: isEnd ? '0 0 0 2ch' : `${place.kind === 'above' ? '-' : ''}1.6em 0 0 0`,
      // Decorations have no font size of their own; CSS sets one.
      textDecoration: `none; font-size: 0.85em; padding: 0 0.5em; border-radius: 3px${style}`,
    };
    const character = isEnd ? line.text.length : place.character;
    const range = new vscode.Range(line.lineNumber, character, line.lineNumber, character);
    editor.setDecorations(this.hint, [{ range, renderOptions: { after } }]);
  }

  clear(editor: vscode.TextEditor): void {
    for (const type of [this.insertion, this.deletion, this.gutterMark, this.hint]) {
      editor.setDecorations(type, []);
    }
    vscode.Disposable.from(...this.blocks).dispose();
    this.blocks = [];
  }

  /** Draws inserted lines right of the lines below `after`: decorations cannot add lines to the view. */
  private drawBlock(editor: vscode.TextEditor, after: number, lines: readonly string[]): void {
    const line = Math.max(after, 0);
    const columns = tabSize(editor);
    const font = vscode.workspace.getConfiguration('editor', editor.document);
    const options = {
      lines,
      tabSize: columns,
      fontFamily: font.get<string>('fontFamily', 'monospace'),
      fontSize: font.get<number>('fontSize', 14),
      lineHeight: font.get<number>('lineHeight', 0),
    };
    // Right of the widest line that it overlaps, so that no text is covered.
    const end = endOfLine(editor.document, line);
    const all = linesOf(editor);
    const indent = widest(all, line, lines.length) - widest(all, line, 1) + BLOCK_GAP;
    const margin = `0 0 0 ${indent}ch`;
    const attachment = (isDark: boolean): vscode.ThemableDecorationRenderOptions => ({
      after: {
        contentIconPath: vscode.Uri.parse(
          `data:image/svg+xml;base64,${Buffer.from(svgBlock(options, isDark)).toString('base64')}`,
        ),
        margin,
        // Positioned absolutely, as the line would clip the image.
        textDecoration: 'none; position: absolute; z-index: 100; pointer-events: none',
      },
    });
    const type = vscode.window.createTextEditorDecorationType({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      light: attachment(false),
      dark: attachment(true),
    });
    this.blocks.push(type);
    editor.setDecorations(type, [new vscode.Range(end, end)]);
  }
}

function deletionRanges(piece: Piece): vscode.DecorationOptions[] {
  return piece.kind === 'delete' ? [{ range: new vscode.Range(piece.line, piece.from, piece.line, piece.to) }] : [];
}

function insertionOptions(piece: Piece): vscode.DecorationOptions[] {
  if (piece.kind !== 'insert') {
    return [];
  }
  // VS Code would collapse ordinary spaces.
  const contentText = piece.text.replaceAll('\t', '    ').replaceAll(' ', '\u00a0');
  const attachment = ({ text, fill }: Colours): vscode.ThemableDecorationRenderOptions => ({
    before: { contentText, color: text, backgroundColor: fill },
  });
  const renderOptions = { light: attachment(INSERTED_COLOURS.light), dark: attachment(INSERTED_COLOURS.dark) };
  return [{ range: new vscode.Range(piece.line, piece.at, piece.line, piece.at), renderOptions }];
}

function tabSize(editor: vscode.TextEditor): number {
  return typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
}

function endOfLine(document: vscode.TextDocument, line: number): vscode.Position {
  return document.lineAt(Math.min(line, document.lineCount - 1)).range.end;
}

function linesOf(editor: vscode.TextEditor): Lines {
  const { document } = editor;
  const text = (line: number) => (line >= 0 && line < document.lineCount ? document.lineAt(line).text : undefined);
  return { text, tabSize: tabSize(editor) };
}
