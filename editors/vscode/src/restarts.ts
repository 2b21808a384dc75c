// How often a server that ended by itself is started again.

const MOST = 3;
const WITHIN_MS = 3 * 60_000;

/** Allows a few restarts in a few minutes. A server that crashes in a loop would only keep the machine busy. */
export class Restarts {
  private times: number[] = [];

  /** Counts one restart at `now`, in milliseconds; false if there were too many. */
  allow(now: number): boolean {
    this.times = this.times.filter((time) => now - time < WITHIN_MS);
    if (this.times.length >= MOST) {
      return false;
    }
    this.times.push(now);
    return true;
  }

  /** Forgets what happened, since the user has asked for a start. */
  reset(): void {
    this.times = [];
  }
}
