// What a terminal was sent, as the text of a report, and the report's edits as places of a text.

/** How much of a command's output is kept, in characters: the end of it, where errors are. */
export const MOST_CHARS = 4_000_000;

/** An edit as `tandem fix --json` prints it: bytes of the file's UTF-8. */
export interface ByteEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The output with one more piece, cut to its last characters. */
export function appended(output: string, piece: string): string {
  const all = output + piece;
  return all.length > MOST_CHARS ? all.slice(-MOST_CHARS) : all;
}

/** The lines that a terminal shows: what a progress bar has overwritten is gone. Colours stay, as the program reads past them. */
export function shownLines(output: string): string {
  const lines = output.replaceAll(/\r+\n/g, '\n').split('\n');
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n');
}

/** Whether an output may be about places of files: `a.c:3`, `a.ts(3,1)`, `line 3`, JSON. */
export function hasPlaces(output: string): boolean {
  return /[^\s:]:\d+|\(\d+,\d+\)|\bline \d+|"(?:line|line_start|startLine)"/.test(output);
}

/**
 * The edits as offsets of a text in UTF-16 units.
 *
 * @param bytes The file on disk, of which the edits are.
 * @returns Nothing if the text is another than that of the file: it is not saved, or has another encoding.
 */
export function offsets(text: string, bytes: Buffer, edits: readonly ByteEdit[]): ByteEdit[] | undefined {
  if (!Buffer.from(text, 'utf8').equals(bytes)) {
    return undefined;
  }
  const offset = (byte: number) => bytes.subarray(0, byte).toString('utf8').length;
  return edits.map((edit) => ({ start: offset(edit.start), end: offset(edit.end), text: edit.text }));
}
