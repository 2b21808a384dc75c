// What the status bar and its menu say. Plain functions: data in, text out.

import type { Gear, Status, Usage } from './protocol';

/** Longer names push other items out of the status bar. */
const LONGEST_NAME = 26;

export interface Item {
  readonly text: string;
  readonly color?: 'warning' | 'error';
}

/** The status bar item's text, with codicons. */
export function item(status: Status | undefined, now: Date): Item {
  if (!status) {
    return { text: '$(zap) Tandem' };
  }
  const money = cost(status);
  const name = served(status);
  const icon = status.available ? '$(sparkle)' : '$(zap)';
  switch (status.state) {
    case 'local':
      return { text: `${icon} local` };
    case 'snoozed':
      return { text: `$(bell-slash) Tandem${status.snoozedUntil ? ` until ${clock(status.snoozedUntil, now)}` : ''}` };
    case 'offline':
      return { text: '$(debug-disconnect) offline', color: 'warning' };
    case 'capped':
      return { text: `$(circle-slash) budget reached${money}`, color: 'warning' };
    case 'degraded':
      return { text: `$(warning) ${name}${money}`, color: 'warning' };
    default:
      return { text: `${icon} ${name}${money}` };
  }
}

function served(status: Status): string {
  const fast = status.gears?.fast;
  return shorten(fast?.served ?? fast?.asked ?? 'Tandem');
}

/** A long name without its middle: both ends tell models apart. */
export function shorten(name: string): string {
  const half = Math.floor((LONGEST_NAME - 1) / 2);
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, half)}…${name.slice(-half)}`;
}

function cost(status: Status): string {
  const dollars = status.usage?.day?.dollars ?? 0;
  return dollars > 0 ? `  ${money(dollars)}` : '';
}

/** Dollars, with as many digits as still say something. */
export function money(dollars: number): string {
  return dollars > 0 && dollars < 0.01 ? '<$0.01' : `$${dollars.toFixed(2)}`;
}

function clock(time: number, now: Date): string {
  const date = new Date(time);
  const isToday = date.toDateString() === now.toDateString();
  const options: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hour12: false };
  return isToday ? date.toLocaleTimeString('en-GB', options) : 'tomorrow';
}

/** The tooltip, in Markdown. */
export function tooltip(status: Status, program: string | undefined, now: Date): string {
  const lines = [`**Tandem**: ${escapeMarkdown(status.text)}`, ''];
  const gears = (['fast', 'deep', 'local'] as const).flatMap((name) => {
    const gear = status.gears?.[name];
    return gear ? [`| ${name} | ${escapeMarkdown(gearLine(gear))} |`] : [];
  });
  const rows = [...gears];
  const { day, session } = status.usage ?? {};
  for (const [name, usage] of [['today', day] as const, ['session', session] as const]) {
    if (usage && usage.requests > 0) {
      rows.push(`| ${name} | ${escapeMarkdown(spent(usage))} |`);
    }
  }
  const { suggestions } = status;
  if (suggestions && suggestions.shown > 0) {
    rows.push(`| suggestions | ${suggestions.shown} shown, ${suggestions.accepted} accepted |`);
  }
  if (status.snoozedUntil) {
    rows.push(`| snoozed | until ${clock(status.snoozedUntil, now)} |`);
  }
  if (status.caps?.reached) {
    rows.push(`| budget | ${escapeMarkdown(status.caps.reached)} |`);
  }
  if (status.file) {
    rows.push(`| this file | ${escapeMarkdown(fileLine(status.file))} |`);
  }
  if (rows.length > 0) {
    // The renderer leaves no room between columns.
    lines.push('| | |', '|:--|:--|', ...rows.map((row) => row.replace(/^\| (\w+( \w+)?)/, '$&&nbsp;')), '');
  }
  const refused = (['fast', 'deep'] as const).flatMap((name) => status.gears?.[name]?.refused ?? []);
  for (const it of refused) {
    lines.push(`- ${escapeMarkdown(`${it.model} of ${it.provider} does not serve: ${it.why}`)}`);
  }
  if (program) {
    lines.push('', escapeMarkdown(program));
  }
  return lines.join('\n');
}

/** What was spent. Where no price is known, nothing is said of money: it was not nothing. */
export function spent(usage: Usage): string {
  const parts = [`${count(usage.requests)} requests`, `${count(usage.inputTokens + usage.outputTokens)} tokens`];
  if (usage.unpriced < usage.requests) {
    parts.unshift(money(usage.dollars));
  }
  if (usage.unpriced > 0) {
    parts.push(usage.unpriced < usage.requests ? `${count(usage.unpriced)} without a known price` : 'price not known');
  }
  return parts.join(', ');
}

export function gearLine(gear: Gear): string {
  const parts: string[] = [gear.state];
  const name = gear.served ?? gear.asked;
  if (name) {
    parts.push(gear.provider ? `${name} (${gear.provider})` : name);
  }
  if (gear.tier && gear.tier !== 'default') {
    parts.push(gear.tier);
  }
  if (typeof gear.firstTokenMs === 'number') {
    parts.push(`first token ${Math.round(gear.firstTokenMs)} ms`);
  }
  if (gear.degraded) {
    parts.push(gear.degraded);
  }
  return parts.join(', ');
}

export function fileLine(file: NonNullable<Status['file']>): string {
  return file.why ? `${file.state}: ${file.why}` : file.state;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** What others wrote is not to become Markdown. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-!|<>~$]/g, '\\$&').replaceAll('\n', ' ');
}
