// Splits an edit into the pieces to draw: deleted text, inserted text, and inserted lines.

/** A position in the document, line and column counted from 0, columns in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export type Piece =
  /** Deleted text within one line. */
  | { readonly kind: 'delete'; readonly line: number; readonly from: number; readonly to: number }
  /** Text inserted before the column. */
  | { readonly kind: 'insert'; readonly line: number; readonly at: number; readonly text: string }
  /** Lines inserted below the line. */
  | { readonly kind: 'lines'; readonly after: number; readonly text: readonly string[] };

export interface Hunk {
  /** Where the change starts; the target of a jump. */
  readonly at: Position;
  /** The last line of the change. */
  readonly lastLine: number;
  readonly pieces: readonly Piece[];
}

/** With more changed lines, old and new lines are drawn as two blocks. */
const MAX_LINES_INLINE = 4;

/**
 * Widens an edit to the whole lines that it touches: an insertion of lines may begin inside a word that the line below
 * shares, which cannot be drawn.
 *
 * @param before The text before the range on its first line.
 * @param after The text behind the range on its last line.
 */
export function wholeLines(old: string, text: string, before: string, after: string): { old: string; text: string } {
  return { old: before + old + after, text: before + text + after };
}

/**
 * @param old The document's text in the edit's range, with `\n` as line end.
 * @param text The new text of the range.
 * @param start The start of the range.
 * @returns `undefined` if the edit changes nothing.
 */
export function hunkOf(old: string, text: string, start: Position): Hunk | undefined {
  if (old === text) {
    return undefined;
  }
  const oldLines = old.split('\n');
  const newLines = text.split('\n');
  const positionOf = (line: number): Position => (line === 0 ? start : { line: start.line + line, character: 0 });
  let pieces: Piece[];
  if (oldLines.length === newLines.length && changedLines(oldLines, newLines) <= MAX_LINES_INLINE) {
    pieces = oldLines.flatMap((line, index) => inlinePieces(line, newLines[index]!, positionOf(index)));
  } else {
    pieces = linePieces(oldLines, newLines, positionOf);
  }
  const [first] = pieces;
  if (!first) {
    return undefined;
  }
  const lines = pieces.map(lineOfPiece);
  return {
    at: startOf(first),
    lastLine: Math.max(...lines),
    pieces,
  };
}

function changedLines(oldLines: readonly string[], newLines: readonly string[]): number {
  return oldLines.filter((line, index) => line !== newLines[index]).length;
}

/** The change of one line, widened to whole words: single changed letters are hard to read. */
function inlinePieces(old: string, text: string, start: Position): Piece[] {
  if (old === text) {
    return [];
  }
  let prefix = commonPrefix(old, text);
  let suffix = commonSuffix(old.slice(prefix), text.slice(prefix));
  if (old.length > prefix + suffix && text.length > prefix + suffix) {
    prefix -= unitsToWordStart(old, prefix);
    suffix -= unitsToWordEnd(old, old.length - suffix);
  }
  const pieces: Piece[] = [];
  const from = start.character + prefix;
  const to = start.character + old.length - suffix;
  if (to > from) {
    pieces.push({ kind: 'delete', line: start.line, from, to });
  }
  if (text.length > prefix + suffix) {
    pieces.push({ kind: 'insert', line: start.line, at: to, text: text.slice(prefix, text.length - suffix) });
  }
  return pieces;
}

/** A change of whole lines: the lines that differ are deleted, and the new ones inserted below them. */
function linePieces(
  oldLines: readonly string[],
  newLines: readonly string[],
  positionOf: (line: number) => Position,
): Piece[] {
  const shorter = Math.min(oldLines.length, newLines.length);
  let prefix = 0;
  while (prefix < shorter && oldLines[prefix] === newLines[prefix]) {
    prefix += 1;
  }
  // A first line that is only partly in the range cannot be part of the unchanged suffix.
  const maxSuffix =
    prefix === 0 && positionOf(0).character > 0 ? Math.min(shorter, oldLines.length - 1) : shorter - prefix;
  let suffix = 0;
  while (suffix < maxSuffix && oldLines.at(-1 - suffix) === newLines.at(-1 - suffix)) {
    suffix += 1;
  }
  const removed = oldLines.slice(prefix, oldLines.length - suffix);
  const added = newLines.slice(prefix, newLines.length - suffix);
  // Of one line that becomes several, what both begin with stays.
  const [firstRemoved] = removed;
  const [firstAdded] = added;
  const shared = commonPrefix(firstRemoved ?? '', firstAdded ?? '');
  if (removed.length === 1 && firstRemoved !== undefined && firstAdded && shared > firstRemoved.search(/\S|$/)) {
    const { line, character } = positionOf(prefix);
    const at = character + shared;
    const end = character + firstRemoved.trimEnd().length;
    const first: Piece[] = end > at ? [{ kind: 'delete', line, from: at, to: end }] : [];
    if (firstAdded.length > shared) {
      first.push({ kind: 'insert', line, at: Math.max(at, end), text: firstAdded.slice(shared) });
    }
    return added.length > 1 ? [...first, { kind: 'lines', after: line, text: added.slice(1) }] : first;
  }
  const pieces: Piece[] = removed.flatMap((line, index) => {
    const { line: row, character } = positionOf(prefix + index);
    const from = character + line.search(/\S|$/);
    const to = character + line.trimEnd().length;
    return to > from ? { kind: 'delete' as const, line: row, from, to } : [];
  });
  if (added.length > 0) {
    const after = removed.length > 0 ? positionOf(prefix + removed.length - 1).line : positionOf(prefix).line - 1;
    pieces.push({ kind: 'lines', after, text: added });
  }
  return pieces;
}

function lineOfPiece(piece: Piece): number {
  return piece.kind === 'lines' ? Math.max(piece.after, 0) : piece.line;
}

function startOf(piece: Piece): Position {
  switch (piece.kind) {
    case 'delete':
      return { line: piece.line, character: piece.from };
    case 'insert':
      return { line: piece.line, character: piece.at };
    case 'lines':
      return { line: Math.max(piece.after, 0), character: 0 };
  }
}

const WORD = /[\p{L}\p{N}_$]/u;

/** The code units between the start of the word around `at` and `at`; 0 if no word continues at `at`. */
function unitsToWordStart(text: string, at: number): number {
  if (!WORD.test(text[at] ?? '')) {
    return 0;
  }
  let from = at;
  while (from > 0 && WORD.test(text[from - 1]!)) {
    from -= 1;
  }
  return at - from;
}

/** The code units between `at` and the end of the word around it; 0 if no word character precedes it. */
function unitsToWordEnd(text: string, at: number): number {
  if (!WORD.test(text[at - 1] ?? '')) {
    return 0;
  }
  let to = at;
  while (to < text.length && WORD.test(text[to]!)) {
    to += 1;
  }
  return to - at;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) {
    length += 1;
  }
  // Surrogate pairs stay together.
  return isHighSurrogate(a[length - 1]) ? length - 1 : length;
}

function commonSuffix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) {
    length += 1;
  }
  return isLowSurrogate(a.at(-length)) && length > 0 ? length - 1 : length;
}

function isHighSurrogate(unit: string | undefined): boolean {
  return unit !== undefined && unit >= '\ud800' && unit <= '\udbff';
}

function isLowSurrogate(unit: string | undefined): boolean {
  return unit !== undefined && unit >= '\udc00' && unit <= '\udfff';
}
