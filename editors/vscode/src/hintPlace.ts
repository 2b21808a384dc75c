// Where the label of a next edit goes, so that it covers as little as can be. Plain functions, data in and out.

import type { Piece, Position } from './diff';

/** In columns: the end of a longer line may be out of view. */
const MAX_LINE_WIDTH = 60;
/** In columns: the width of the widest label, about. */
const HINT_WIDTH = 25;
/** In columns: what is left free between a line and a label behind it. */
const GAP = 2;
/** In columns: what is left free between lines of code and inserted lines beside them. */
export const BLOCK_GAP = 3;

/** The lines of a document. */
export interface Lines {
  /** Undefined past the ends. */
  readonly text: (line: number) => string | undefined;
  readonly tabSize: number;
}

/**
 * - `end`: behind the line.
 * - `above`, `below`: over the neighbouring line, from this character of the own line on; left of it with `isLeft`.
 */
export type HintPlace =
  | { readonly kind: 'end' }
  | { readonly kind: 'above' | 'below'; readonly character: number; readonly isLeft: boolean };

/** A line as it is drawn: its width in columns, and whether a part of the edit is in it. */
interface DrawnLine {
  readonly width: number;
  readonly hasEdit: boolean;
}

/**
 * The place that covers least: nothing if there is room, else text that the edit leaves as it is.
 *
 * @param at What the label is about.
 * @param prefers The side on which it goes if both are as good.
 */
export function hintPlace(lines: Lines, at: Position, pieces: readonly Piece[], prefers: 'above' | 'below'): HintPlace {
  const text = lines.text(at.line) ?? '';
  const inserted = pieces
    .map((piece) => (piece.kind === 'insert' && piece.line === at.line ? piece.text : ''))
    .join('');
  const width = textWidth(text + inserted, lines.tabSize);
  if (width <= MAX_LINE_WIDTH) {
    return { kind: 'end' };
  }
  const column = textWidth(text.slice(0, at.character), lines.tabSize);
  // Near the end of a long line, the right edge of the view may be near as well.
  const isLeft = column > HINT_WIDTH && width - column < HINT_WIDTH;
  // There is no room above the first line, and nothing to cover below the last one.
  const sides = [
    { kind: 'above' as const, it: drawnLine(lines, at.line - 1, pieces) },
    { kind: 'below' as const, it: drawnLine(lines, at.line + 1, pieces) ?? { width: 0, hasEdit: false } },
  ]
    .flatMap(({ kind, it }) => (it ? [{ kind, ...it }] : []))
    .sort((a, b) => Number(b.kind === prefers) - Number(a.kind === prefers));
  const free = sides.find((side) => side.width + GAP <= (isLeft ? column - HINT_WIDTH : column));
  if (free) {
    return { kind: free.kind, character: at.character, isLeft };
  }
  // Farther right, and yet where the eye is: the label ends where one at the end of a line may end.
  const short = sides.find((side) => side.width <= Math.max(MAX_LINE_WIDTH, column));
  if (short) {
    return { kind: short.kind, character: characterAt(text, short.width + GAP, lines.tabSize), isLeft: false };
  }
  const kind = (sides.find((side) => !side.hasEdit) ?? sides[0])?.kind ?? prefers;
  return { kind, character: at.character, isLeft };
}

/** The width of the widest of these lines, in columns. */
export function widest(lines: Lines, first: number, count: number): number {
  const widths = Array.from({ length: Math.max(count, 1) }, (_, i) =>
    textWidth(lines.text(first + i) ?? '', lines.tabSize),
  );
  return Math.max(...widths);
}

/** A line with what these pieces add to it; undefined past the ends. */
function drawnLine(lines: Lines, line: number, pieces: readonly Piece[]): DrawnLine | undefined {
  const text = lines.text(line);
  if (text === undefined) {
    return undefined;
  }
  let width = textWidth(text, lines.tabSize);
  let hasEdit = false;
  for (const piece of pieces) {
    if (piece.kind === 'lines') {
      const first = Math.max(piece.after, 0);
      if (line >= first && line < first + piece.text.length) {
        const block = Math.max(...piece.text.map((it) => textWidth(it, lines.tabSize)));
        width = Math.max(width, widest(lines, first, piece.text.length) + BLOCK_GAP + block);
        hasEdit = true;
      }
    } else if (piece.line === line) {
      width += piece.kind === 'insert' ? textWidth(piece.text, lines.tabSize) : 0;
      hasEdit = true;
    }
  }
  return { width, hasEdit };
}

/** A text's width in columns, with tabs expanded. */
function textWidth(text: string, tabSize: number): number {
  let columns = 0;
  for (const character of text) {
    columns += widthAt(character, columns, tabSize);
  }
  return columns;
}

/** The first character at or behind a column, as an offset in UTF-16 code units. */
function characterAt(text: string, column: number, tabSize: number): number {
  let columns = 0;
  let units = 0;
  for (const character of text) {
    if (columns >= column) {
      break;
    }
    columns += widthAt(character, columns, tabSize);
    units += character.length;
  }
  return units;
}

function widthAt(character: string, column: number, tabSize: number): number {
  return character === '\t' ? tabSize - (column % tabSize) : character.codePointAt(0)! > 0x10ff ? 2 : 1;
}
