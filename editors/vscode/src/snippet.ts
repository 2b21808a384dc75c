// Whether a snippet's fields are being filled in, derived from changes and selections: VS Code does not report it.

/** An edit as VS Code reports it, in UTF-16 code units. */
export interface Change {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/**
 * A text with letters that was inserted at once with the cursor inside it counts as a snippet, until the cursor leaves
 * it or reaches its end.
 */
export class Snippet {
  private region: { from: number; to: number } | undefined;
  /** Whether the cursor's position in the region is still to come. */
  private isNew = false;

  /** Whether fields are left. */
  get isActive(): boolean {
    return this.region !== undefined && !this.isNew;
  }

  clear(): void {
    this.region = undefined;
  }

  /** Follows the changes of one event. */
  change(changes: readonly Change[]): void {
    const [change] = changes;
    const { region } = this;
    if (!change || changes.length !== 1) {
      // Fields that mirror each other change together.
      this.region = this.isActive ? region : undefined;
      return;
    }
    const { rangeOffset: at, rangeLength, text } = change;
    if (region && this.isActive && at >= region.from && at + rangeLength <= region.to) {
      this.region = { from: region.from, to: region.to - rangeLength + text.length };
      return;
    }
    const isInserted = text.length > 1 && /\p{L}/u.test(text);
    this.region = isInserted ? { from: at, to: at + text.length } : undefined;
    this.isNew = isInserted;
  }

  /** Follows the cursor; offsets of the primary selection. */
  select(start: number, end: number): void {
    const { region } = this;
    if (region && (start < region.from || end >= region.to)) {
      this.region = undefined;
    }
    this.isNew = false;
  }
}
