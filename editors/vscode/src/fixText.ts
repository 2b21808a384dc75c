// Says in words what edits do to a text. Plain functions, data in and text out.

/** A piece of text and what takes its place. */
export interface Change {
  readonly old: string;
  readonly text: string;
}

/** The pieces of code that are named; more of them are counted. */
const NAMED = 3;
/** The most characters of a piece of code. */
const CHARS = 40;

/** What changes, in the order of the text, do; undefined if they change blanks alone. */
export function fixText(changes: readonly Change[]): string | undefined {
  const removed = changes.flatMap(({ old, text }) => (text.trim() === '' ? lines(old) : []));
  const added = changes.flatMap(({ old, text }) => (text.trim() !== '' && old.trim() === '' ? lines(text) : []));
  const changed = changes.flatMap(({ old, text }) =>
    text.trim() !== '' && old.trim() !== '' ? [`${quoted(old)} to ${quoted(text)}`] : [],
  );
  const parts = Object.entries({ added, changed, removed }).flatMap(([what, items]) =>
    items.length > 0 ? [`${what} ${listed(items)}`] : [],
  );
  return parts.length > 0 ? parts.join('; ') : undefined;
}

function lines(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [quoted(line)]));
}

/** A piece of code on one line. */
function quoted(text: string): string {
  const all = [...text.trim().replaceAll(/\s+/g, ' ')];
  return `\`${all.length > CHARS ? `${all.slice(0, CHARS - 1).join('')}…` : all.join('')}\``;
}

function listed(items: readonly string[]): string {
  if (items.length > NAMED) {
    return `${items.slice(0, NAMED).join(', ')} and ${items.length - NAMED} more`;
  }
  return items.length > 1 ? `${items.slice(0, -1).join(', ')} and ${items.at(-1)}` : (items[0] ?? '');
}
