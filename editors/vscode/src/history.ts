// Instructions of earlier rewrites, newest first.

const MAX_INSTRUCTIONS = 30;

/** Reads stored instructions, ignoring values of any other shape: other versions of the extension write there, too. */
export function history(stored: unknown): string[] {
  return Array.isArray(stored)
    ? stored.filter((it): it is string => typeof it === 'string').slice(0, MAX_INSTRUCTIONS)
    : [];
}

/** Puts an instruction in front of the stored ones. */
export function remember(stored: unknown, instruction: string): string[] {
  return [instruction, ...history(stored).filter((it) => it !== instruction)].slice(0, MAX_INSTRUCTIONS);
}
