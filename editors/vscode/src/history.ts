// The instructions that the user has given, newest first.

const MOST = 30;

/** What was kept, if it is what we keep: the memory is the editor's, and other versions write to it. */
export function history(kept: unknown): string[] {
  return Array.isArray(kept) ? kept.filter((it): it is string => typeof it === 'string').slice(0, MOST) : [];
}

export function remember(kept: unknown, instruction: string): string[] {
  return [instruction, ...history(kept).filter((it) => it !== instruction)].slice(0, MOST);
}
