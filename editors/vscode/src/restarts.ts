// Limits the restarts of a crashing server.

const MAX_RESTARTS = 3;
const WITHIN_MS = 3 * 60_000;

/** Allows `MAX_RESTARTS` restarts within `WITHIN_MS`, so that a crash loop ends. */
export class Restarts {
  private times: number[] = [];

  /** Counts a restart at `now`, in milliseconds; false if the limit is reached. */
  allow(now: number): boolean {
    this.times = this.times.filter((time) => now - time < WITHIN_MS);
    if (this.times.length >= MAX_RESTARTS) {
      return false;
    }
    this.times.push(now);
    return true;
  }

  /** Clears the count, for a restart by the user. */
  reset(): void {
    this.times = [];
  }
}
