/** New text for a part of a text, in UTF-16 code units. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A text with all replacements made; they do not overlap, and all of them mean the text as it was. */
export function applied(text: string, replacements: readonly Replacement[]): string {
  // Of several insertions at one place, the first in the list comes first (LSP 3.17, "TextEdit[]").
  const inOrder = replacements.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let result = '';
  let at = 0;
  for (const { from, to, text: inserted } of inOrder) {
    result += text.slice(at, from) + inserted;
    at = to;
  }
  return result + text.slice(at);
}
