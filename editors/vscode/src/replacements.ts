/** New text for a range, in UTF-16 code units. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies replacements that do not overlap; all offsets refer to the original text. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  // Insertions at the same offset keep the order of the list (LSP 3.17, "TextEdit[]").
  const inOrder = replacements.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let result = '';
  let at = 0;
  for (const { from, to, text: inserted } of inOrder) {
    result += text.slice(at, from) + inserted;
    at = to;
  }
  return result + text.slice(at);
}
