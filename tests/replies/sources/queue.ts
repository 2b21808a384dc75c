type Task<T> = () => Promise<T>;

export class TaskQueue {
  private running = 0;
  private readonly waiting: Array<() => void> = [];

  constructor(private readonly width: number) {}

  async run<T>(task: Task<T>): Promise<T> {
    await this.enter();
    try {
      const result = await task();
      return result;
    } finally {
      this.leave();
    }
  }

  private enter(): Promise<void> {
    if (this.running < this.width) {
      this.running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next) {
      next();
    } else {
      this.running -= 1;
    }
  }
}

export async function retry<T>(task: Task<T>, times: number): Promise<T> {
  let last: unknown;
  for (let attempt = 0; attempt < times; attempt += 1) {
    try {
      const value = await task();
      return value;
    } catch (error) {
      last = error;
      console.warn("attempt failed", attempt, error);
    }
  }
  throw last;
}

export async function retryForever<T>(task: Task<T>, pause: number): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const value = await task();
      return value;
    } catch (error) {
      console.warn("attempt failed", attempt, error);
      await sleep(pause * attempt);
    }
  }
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
