// What to draw for an edit: which letters go, which come, and which lines cannot be shown between the others.

/** A place in the document, line and column counted from 0, columns in UTF-16 code units. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

export type Piece =
  /** Letters that go: all on one line. */
  | { readonly kind: 'delete'; readonly line: number; readonly from: number; readonly to: number }
  /** Letters that come, before the column. */
  | { readonly kind: 'insert'; readonly line: number; readonly at: number; readonly text: string }
  /** Lines that come, below the line. */
  | { readonly kind: 'lines'; readonly after: number; readonly text: readonly string[] };

export interface Hunk {
  /** Where the change begins: where to jump to. */
  readonly at: Place;
  /** The last line that it touches. */
  readonly lastLine: number;
  readonly pieces: readonly Piece[];
}

/** More lines than this are easier to read below each other than woven into the old ones. */
const MOST_LINES_IN_PLACE = 4;

/**
 * @param old What the document has in the edit's range, with `\n` as line end.
 * @param text What it is to have there.
 * @param start Where the range begins.
 * @returns `undefined` if nothing would change.
 */
export function hunk(old: string, text: string, start: Place): Hunk | undefined {
  if (old === text) {
    return undefined;
  }
  const oldLines = old.split('\n');
  const newLines = text.split('\n');
  const place = (line: number): Place => (line === 0 ? start : { line: start.line + line, character: 0 });
  let pieces: Piece[];
  if (oldLines.length === newLines.length && changed(oldLines, newLines) <= MOST_LINES_IN_PLACE) {
    pieces = oldLines.flatMap((line, index) => inLine(line, newLines[index]!, place(index)));
  } else {
    pieces = acrossLines(oldLines, newLines, place);
  }
  const [first] = pieces;
  if (!first) {
    return undefined;
  }
  const lines = pieces.map(lineOf);
  return {
    at: beginning(first),
    lastLine: Math.max(...lines),
    pieces,
  };
}

function changed(oldLines: readonly string[], newLines: readonly string[]): number {
  return oldLines.filter((line, index) => line !== newLines[index]).length;
}

/** The change of one line: whole words, for single letters exchanged within one are hard to read. */
function inLine(old: string, text: string, place: Place): Piece[] {
  if (old === text) {
    return [];
  }
  let head = commonHead(old, text);
  let tail = commonTail(old.slice(head), text.slice(head));
  if (old.length > head + tail && text.length > head + tail) {
    head -= wordBefore(old, head);
    tail -= wordAfter(old, old.length - tail);
  }
  const pieces: Piece[] = [];
  const from = place.character + head;
  const to = place.character + old.length - tail;
  if (to > from) {
    pieces.push({ kind: 'delete', line: place.line, from, to });
  }
  if (text.length > head + tail) {
    pieces.push({ kind: 'insert', line: place.line, at: to, text: text.slice(head, text.length - tail) });
  }
  return pieces;
}

/** A change of the number of lines: the lines that differ go, and the new ones come below them. */
function acrossLines(
  oldLines: readonly string[],
  newLines: readonly string[],
  place: (line: number) => Place,
): Piece[] {
  const shorter = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shorter && oldLines[head] === newLines[head]) {
    head += 1;
  }
  // A first line of which only the end is in the range is never between lines that come and go.
  const most = head === 0 && place(0).character > 0 ? Math.min(shorter, oldLines.length - 1) : shorter - head;
  let tail = 0;
  while (tail < most && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) {
    tail += 1;
  }
  const gone = oldLines.slice(head, oldLines.length - tail);
  const come = newLines.slice(head, newLines.length - tail);
  // Text that only goes on at a line's end is shown there, and the rest of it below.
  const [goneFirst] = gone;
  const [comeFirst] = come;
  if (gone.length === 1 && goneFirst !== undefined && comeFirst?.startsWith(goneFirst)) {
    const line = place(head);
    const added = comeFirst.slice(goneFirst.length);
    const pieces: Piece[] = [];
    if (added !== '') {
      pieces.push({ kind: 'insert', line: line.line, at: line.character + goneFirst.length, text: added });
    }
    pieces.push({ kind: 'lines', after: line.line, text: come.slice(1) });
    return pieces;
  }
  const pieces: Piece[] = gone.flatMap((line, index) => {
    const { line: row, character } = place(head + index);
    const from = character + line.search(/\S|$/);
    const to = character + line.trimEnd().length;
    return to > from ? { kind: 'delete' as const, line: row, from, to } : [];
  });
  if (come.length > 0) {
    const after = gone.length > 0 ? place(head + gone.length - 1).line : place(head).line - 1;
    pieces.push({ kind: 'lines', after, text: come });
  }
  return pieces;
}

function lineOf(piece: Piece): number {
  return piece.kind === 'lines' ? Math.max(piece.after, 0) : piece.line;
}

function beginning(piece: Piece): Place {
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

/** How many code units before `at` belong to the word that goes on behind it. */
function wordBefore(text: string, at: number): number {
  if (!WORD.test(text[at] ?? '')) {
    return 0;
  }
  let from = at;
  while (from > 0 && WORD.test(text[from - 1]!)) {
    from -= 1;
  }
  return at - from;
}

/** How many code units from `at` on belong to the word that began before it. */
function wordAfter(text: string, at: number): number {
  if (!WORD.test(text[at - 1] ?? '')) {
    return 0;
  }
  let to = at;
  while (to < text.length && WORD.test(text[to]!)) {
    to += 1;
  }
  return to - at;
}

function commonHead(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) {
    length += 1;
  }
  // Not between the halves of one character.
  return isHighHalf(a[length - 1]) ? length - 1 : length;
}

function commonTail(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) {
    length += 1;
  }
  return isLowHalf(a.at(-length)) && length > 0 ? length - 1 : length;
}

function isHighHalf(unit: string | undefined): boolean {
  return unit !== undefined && unit >= '\ud800' && unit <= '\udbff';
}

function isLowHalf(unit: string | undefined): boolean {
  return unit !== undefined && unit >= '\udc00' && unit <= '\udfff';
}
