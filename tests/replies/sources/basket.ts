import { EventEmitter } from "node:events";

export interface Item {
  sku: string;
  price: number;
  count: number;
}

export interface Options {
  currency: string;
  rounding?: number;
}

const defaults: Options = { currency: "€", rounding: 2 };

export class Basket extends EventEmitter {
  private items: Item[] = [];
  private options: Options;

  constructor(options: Partial<Options> = {}) {
    super();
    this.options = { ...defaults, ...options };
  }

  add(item: Item): void {
    const known = this.items.find((other) => other.sku === item.sku);
    if (known) {
      known.count += item.count;
    } else {
      this.items.push({ ...item });
    }
    this.emit("changed", this.items.length);
  }

  remove(sku: string): void {
    const before = this.items.length;
    this.items = this.items.filter((item) => item.sku !== sku);
    if (before !== this.items.length) {
      this.emit("changed", this.items.length);
    }
  }

  total(): string {
    let sum = 0;
    for (const item of this.items) {
      sum += item.price * item.count;
    }
    const digits = this.options.rounding ?? 2;
    return `${sum.toFixed(digits)} ${this.options.currency}`;
  }
}

export function parseItem(line: string): Item | undefined {
  const parts = line.split(";");
  const [sku, price, count] = parts;
  if (!sku || parts.length < 3) {
    return undefined;
  }
  const item = { sku, price: Number(price), count: Number(count) };
  return item;
}

export function parseOffer(line: string): Item | undefined {
  const parts = line.split(";");
  const [sku, price] = parts;
  if (!sku || parts.length < 2) {
    return undefined;
  }
  const item = { sku, price: Number(price), count: 1 };
  return item;
}
