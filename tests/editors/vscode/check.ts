// Runs cases one after the other, and counts them.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** The longest that anything is waited for. Nothing is slow; the machine may be. */
const PATIENCE_MS = 30_000;

/** The longest that all cases may take together. What does not run by then has failed: a hung machine is to be heard of. */
const ALL_MS = 20 * 60_000;
const begun = performance.now();

/** How many cases may need a second attempt in one run. More are no accident of a busy machine. */
const MOST_RETRIED = 2;

let passed = 0;
let failed = 0;
const retried: string[] = [];
/** Picks the cases whose name holds it. */
const only = process.argv[2];

/** What a case that drives another program needs beside its body. */
export interface Driven {
  /** Runs before the next case or attempt, and says more about the failure. */
  onFailure: () => Promise<string>;
  /** How often `body` may run. A workbench on a busy machine now and then loses a key; a fault of ours fails again. */
  attempts: number;
}

/** One test: it passes if `body` throws nothing. */
export async function test(name: string, body: () => unknown, driven?: Driven): Promise<void> {
  if (only && !name.includes(only)) {
    return;
  }
  const started = performance.now();
  if (started - begun > ALL_MS) {
    failed += 1;
    console.log(`FAIL  ${name}\nnot run: the ${ALL_MS / 60_000} minutes for all are over`);
    return;
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await body();
      passed += 1;
      if (attempt > 1) {
        retried.push(name);
      }
      const again = attempt > 1 ? `, attempt ${attempt}` : '';
      console.log(`ok    ${name}  (${Math.round(performance.now() - started)} ms${again})`);
      return;
    } catch (error) {
      const last = attempt >= (driven?.attempts ?? 1);
      console.log(`${last ? 'FAIL ' : 'AGAIN'} ${name}\n${error instanceof Error ? error.stack : String(error)}`);
      console.log(await driven?.onFailure().catch((reason: unknown) => `no more is known: ${String(reason)}`));
      if (last) {
        failed += 1;
        return;
      }
    }
  }
}

/** Waits until `get` gives what is expected, and fails if it never does. */
export async function eventually<T>(what: string, get: () => Promise<T> | T, expected: T): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  let got: T;
  for (;;) {
    got = await get();
    try {
      assert.deepEqual(got, expected);
      return;
    } catch (error) {
      if (Date.now() > end) {
        throw new Error(`${what}\n  expected ${JSON.stringify(expected)}\n  found    ${JSON.stringify(got)}`, {
          cause: error,
        });
      }
    }
    await sleep(20);
  }
}

/** Prints the sum and ends. */
export function finish(): never {
  console.log(`${retried.length} passed at a second attempt${retried.length > 0 ? `: ${retried.join('; ')}` : ''}`);
  if (retried.length > MOST_RETRIED) {
    failed += 1;
    console.log(`FAIL  at most ${MOST_RETRIED} cases may need a second attempt`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
