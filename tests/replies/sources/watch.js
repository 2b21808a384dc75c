import { readFile, stat } from "node:fs/promises";

export class Watcher {
  constructor(paths, interval = 1000) {
    this.paths = paths;
    this.interval = interval;
    this.times = new Map();
    this.timer = null;
  }

  start(onChange) {
    this.stop();
    this.timer = setInterval(() => {
      this.look(onChange);
    }, this.interval);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }

  async look(onChange) {
    for (const path of this.paths) {
      const info = await stat(path);
      const before = this.times.get(path);
      this.times.set(path, info.mtimeMs);
      if (before !== undefined && before !== info.mtimeMs) {
        const text = await readFile(path, "utf8");
        onChange(path, text);
      }
    }
  }
}

export async function countLines(path) {
  const text = await readFile(path, "utf8");
  const lines = text.split("\n");
  const count = lines.length;
  console.log(path, count);
  return count;
}

export async function countWords(path) {
  const text = await readFile(path, "utf8");
  const words = text.split(/\s+/);
  const count = words.length;
  console.log(path, count);
  return count;
}
