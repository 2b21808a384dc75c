// The text of a file as the editor reads it. Plain functions, data in and text out.

/** The text in a file's bytes, with the line ends of the editor; undefined if it is not UTF-8. */
export function savedText(bytes: Uint8Array, lineEnd: string): string | undefined {
  try {
    // A byte order mark is left out, as the editor leaves it out.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll(/\r\n|\r|\n/g, lineEnd);
  } catch {
    return undefined;
  }
}
