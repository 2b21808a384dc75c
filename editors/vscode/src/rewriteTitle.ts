// The title of the box for an instruction. A plain function, data in and text out.

/**
 * Names what will be rewritten.
 *
 * @param first The first line, from 0.
 * @param last The last one.
 * @param name How the definition begins that these lines hold, if they are one.
 */
export function rewriteTitle(file: string, first: number, last: number, name?: string | null): string {
  const lines = first === last ? `line ${first + 1}` : `lines ${first + 1}–${last + 1}`;
  return name ? `Rewrite \`${name}\` (${lines})` : `Rewrite ${lines} of ${file}`;
}
