// Whether a snippet's fields are being filled in, derived from changes and selections: VS Code does not report it.

/** An edit as VS Code reports it, in UTF-16 code units. */
export interface Change {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/** How long after an insertion the cursor is placed in the first field, in milliseconds; first it may be at the end. */
const PLACING_MS = 300;

/**
 * A text with letters that was inserted at once, and into which the cursor was placed, counts as a snippet until the
 * cursor leaves it or reaches its end.
 */
export class Snippet {
  private region: { from: number; to: number } | undefined;
  /** When the text was inserted, as long as the cursor is not in a field. */
  private insertedAt: number | undefined;

  /** Whether fields are left. */
  get isActive(): boolean {
    return this.region !== undefined && this.insertedAt === undefined;
  }

  clear(): void {
    this.region = undefined;
  }

  /** Follows the changes of one event. `now` is in milliseconds. */
  change(changes: readonly Change[], now: number): void {
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
    this.insertedAt = isInserted ? now : undefined;
  }

  /** Follows the cursor; offsets of the primary selection. */
  select(start: number, end: number, now: number): void {
    const { region, insertedAt } = this;
    if (!region) {
      return;
    }
    const isInside = start >= region.from && end < region.to;
    if (insertedAt !== undefined && now - insertedAt < PLACING_MS) {
      this.insertedAt = isInside ? undefined : insertedAt;
    } else if (!isInside || insertedAt !== undefined) {
      this.region = undefined;
    }
  }
}
