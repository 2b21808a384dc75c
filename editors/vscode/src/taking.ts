// How much of one suggestion the user has taken so far, seen from the edits alone.

/** An edit as VS Code reports it, in UTF-16 code units. */
export interface Change {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/** `typed`: it goes on. `part`: a part of it was accepted. `over`: all of it is there, or something else was typed. */
export type Outcome = 'typed' | 'part' | 'over';

export class Taking {
  readonly id: number;
  private readonly text: string;
  /** Code units of `text` that are in the document. */
  private done: number;
  /** The offset in the document at which the rest goes in. */
  private at: number;

  private constructor(id: number, text: string, done: number, at: number) {
    this.id = id;
    this.text = text;
    this.done = done;
    this.at = at;
  }

  /**
   * Begins with a suggestion as it came.
   *
   * @param replaced What the document has in the suggestion's range, which begins at the offset `from`.
   * @returns `undefined` where the suggestion does not go on with what is there, for no part of such can be taken.
   */
  static begin(id: number, text: string, replaced: string, from: number): Taking | undefined {
    return text.startsWith(replaced) ? new Taking(id, text, replaced.length, from + replaced.length) : undefined;
  }

  /** How much of the suggestion is in the document, in UTF-16 code units of its text. */
  get accepted(): number {
    return this.done;
  }

  /** Whether the rest would go in at this offset. */
  isAt(offset: number): boolean {
    return this.at === offset;
  }

  /**
   * @param isPart Whether a command that takes a part made the change. Without it, a change of several units of the
   *   suggestion counts as one: nobody types two letters at once.
   */
  follow(changes: readonly Change[], isPart: boolean): Outcome {
    const change = changes[0];
    if (changes.length !== 1 || !change || change.rangeLength !== 0 || change.rangeOffset !== this.at) {
      return 'over';
    }
    // In a file with CRLF, line ends arrive as such.
    const added = change.text.replaceAll('\r\n', '\n');
    if (added === '' || !this.text.startsWith(added, this.done)) {
      return 'over';
    }
    this.done += added.length;
    this.at += change.text.length;
    if (this.done === this.text.length) {
      return 'over';
    }
    const isOneCharacter = [...added].length === 1;
    return isPart || !isOneCharacter ? 'part' : 'typed';
  }
}
