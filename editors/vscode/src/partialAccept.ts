// How much of one suggestion has been accepted so far, derived from the document changes.

/** An edit as VS Code reports it, in UTF-16 code units. */
export interface Change {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/**
 * What a change did to the suggestion.
 *
 * - `typed`: one character of it was typed.
 * - `part`: a part of it was accepted.
 * - `over`: it is complete, or other text was typed.
 */
export type Outcome = 'typed' | 'part' | 'over';

export class PartialAccept {
  readonly id: number;
  private readonly text: string;
  /** UTF-16 code units of `text` that are in the document. */
  private inserted: number;
  /** The document offset at which the remainder is inserted. */
  private offset: number;

  private constructor(id: number, text: string, inserted: number, offset: number) {
    this.id = id;
    this.text = text;
    this.inserted = inserted;
    this.offset = offset;
  }

  /**
   * Starts tracking a new suggestion.
   *
   * @param replaced The document's text in the suggestion's range, which starts at the offset `from`.
   * @returns `undefined` if the suggestion does not start with `replaced`: only whole ones can then be accepted.
   */
  static create(id: number, text: string, replaced: string, from: number): PartialAccept | undefined {
    return text.startsWith(replaced) ? new PartialAccept(id, text, replaced.length, from + replaced.length) : undefined;
  }

  /** The length of the accepted prefix, in UTF-16 code units. */
  get accepted(): number {
    return this.inserted;
  }

  /** The document offset at which the remainder is inserted. */
  get at(): number {
    return this.offset;
  }

  /** The blanks that the remainder begins with, unless it is nothing else on its line. */
  get indentation(): string {
    return /^([ \t]+)\S/.exec(this.text.slice(this.inserted))?.[1] ?? '';
  }

  /**
   * Applies a change of the document.
   *
   * @param isPart Whether a partial accept command made the change. A change that inserts several characters of the
   *   suggestion counts as a partial accept in any case, since keys insert one character each.
   */
  update(changes: readonly Change[], isPart: boolean): Outcome {
    const change = changes[0];
    if (changes.length !== 1 || !change || change.rangeLength !== 0 || change.rangeOffset !== this.offset) {
      return 'over';
    }
    // Files with CRLF report it as the line end.
    const added = change.text.replaceAll('\r\n', '\n');
    if (added === '' || !this.text.startsWith(added, this.inserted)) {
      return 'over';
    }
    this.inserted += added.length;
    this.offset += change.text.length;
    if (this.inserted === this.text.length) {
      return 'over';
    }
    const isOneCharacter = [...added].length === 1;
    return isPart || !isOneCharacter ? 'part' : 'typed';
  }
}
