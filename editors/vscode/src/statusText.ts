// Status text: the labels of the status bar item, its tooltip and its menu. Plain functions, data in and text out.

import type { Candidate, Gear, Status, Usage } from './protocol';

/** In UTF-16 code units. Longer names push other items out of the status bar. */
const MAX_NAME_LENGTH = 26;

export interface StatusBarItem {
  readonly text: string;
  readonly color?: 'warning' | 'error';
}

/** The status bar item's label, with codicons. */
export function statusBarItem(status: Status | undefined, now: Date): StatusBarItem {
  if (!status) {
    return { text: '$(zap) Tandem' };
  }
  const cost = costSuffix(status);
  const name = modelName(status);
  const icon = status.available ? '$(sparkle)' : '$(zap)';
  // Whatever the models do, they are not asked here. What names no model names us: other items are beside it.
  if (status.file?.state === 'off') {
    return { text: '$(circle-slash) Tandem: off for this language' };
  }
  switch (status.state) {
    case 'local':
      return { text: `${icon} Tandem: local` };
    case 'snoozed':
      return { text: `$(bell-slash) Tandem${status.snoozedUntil ? ` until ${clock(status.snoozedUntil, now)}` : ''}` };
    case 'offline':
      return status.gears?.fast?.state === 'refused'
        ? { text: '$(error) Tandem: refused', color: 'warning' }
        : { text: '$(debug-disconnect) Tandem: offline', color: 'warning' };
    case 'capped':
      return { text: `$(circle-slash) Tandem: budget reached${cost}`, color: 'warning' };
    case 'degraded':
      return { text: `$(warning) ${name}${cost}`, color: 'warning' };
    default:
      return { text: `${icon} ${name}${cost}` };
  }
}

function modelName(status: Status): string {
  const fast = status.gears?.fast;
  return shorten(fast?.served ?? fast?.asked ?? 'Tandem');
}

/** Cuts the middle out of a long model name: both ends distinguish models. */
export function shorten(name: string): string {
  const half = Math.floor((MAX_NAME_LENGTH - 1) / 2);
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, half)}…${name.slice(-half)}`;
}

function costSuffix(status: Status): string {
  const dollars = status.usage?.day?.dollars ?? 0;
  return dollars > 0 ? `  ${formatDollars(dollars)}` : '';
}

/** Dollars with two digits; less than a cent is shown as such. */
export function formatDollars(dollars: number): string {
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
  // One cause strikes several gears, and is said once.
  const said = [status.text];
  const isNews = (why: string) => !said.some((text) => text.includes(why)) && said.push(why) > 0;
  const gears = (['fast', 'deep', 'local'] as const).flatMap((name) => {
    const gear = status.gears?.[name];
    if (!gear) {
      return [];
    }
    const degraded = gear.degraded && isNews(gear.degraded) ? gear.degraded : null;
    return [`| ${name} | ${escapeMarkdown(gearLine({ ...gear, degraded }))} |`];
  });
  const rows = [...gears];
  const { day, session } = status.usage ?? {};
  for (const [name, usage] of [['today', day] as const, ['session', session] as const]) {
    if (usage && usage.requests > 0) {
      rows.push(`| ${name} | ${escapeMarkdown(usageText(usage))} |`);
    }
  }
  const { suggestions } = status;
  if (suggestions && suggestions.shown > 0) {
    rows.push(`| suggestions | ${suggestions.shown} shown, ${suggestions.accepted} accepted |`);
  }
  if (status.snoozedUntil) {
    rows.push(`| snoozed | until ${clock(status.snoozedUntil, now)} |`);
  }
  if (status.caps?.reached && isNews(status.caps.reached)) {
    rows.push(`| budget | ${escapeMarkdown(status.caps.reached)} |`);
  }
  if (status.canary) {
    rows.push(`| trial | ${escapeMarkdown(status.canary)} |`);
  }
  if (status.shared) {
    const { windows, process } = status.shared;
    rows.push(`| server | shared by ${windows} ${windows === 1 ? 'window' : 'windows'} (process ${process}) |`);
  }
  if (status.recording) {
    rows.push('| recorder | on |');
  }
  if (status.file) {
    rows.push(`| this file | ${escapeMarkdown(fileLine(status.file))} |`);
  }
  if (rows.length > 0) {
    // The Markdown renderer puts no space between columns.
    lines.push('| | |', '|:--|:--|', ...rows.map((row) => row.replace(/^\| (\w+( \w+)?)/, '$&&nbsp;')), '');
  }
  const refused = (['fast', 'deep'] as const).flatMap((name) => status.gears?.[name]?.refused ?? []);
  for (const it of refused.filter(({ why }) => isNews(why))) {
    lines.push(`- ${escapeMarkdown(`${it.model} of ${it.provider} is unavailable: ${it.why}`)}`);
  }
  if (program) {
    lines.push('', escapeMarkdown(program));
  }
  return lines.join('\n');
}

/** Cost, requests and tokens. Unpriced requests are counted apart: their cost is unknown, not zero. */
export function usageText(usage: Usage): string {
  const requests = usage.requests === 1 ? '1 request' : `${count(usage.requests)} requests`;
  const parts = [requests, `${count(usage.inputTokens + usage.outputTokens)} tokens`];
  if (usage.unpriced < usage.requests) {
    parts.unshift(formatDollars(usage.dollars));
  }
  if (usage.unpriced > 0) {
    parts.push(usage.unpriced < usage.requests ? `${count(usage.unpriced)} without a known price` : 'price not known');
  }
  return parts.join(', ');
}

/** One gear's state, model and latency. */
export function gearLine(gear: Gear): string {
  const parts: string[] = [gear.state === 'capped' ? 'budget reached' : gear.state];
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

/** The state of a file, in plain words. */
const FILE_STATES: Readonly<Record<string, string>> = {
  followed: 'gets suggestions',
  'not-open': 'is not open',
  'out-of-sync': 'is out of sync',
  'too-large': 'is too large',
  'notebook-file': 'is the JSON of a notebook',
  secret: 'may hold secrets',
  ignored: 'is ignored',
  off: 'gets no suggestions',
};

export function fileLine(file: NonNullable<Status['file']>): string {
  const state = FILE_STATES[file.state] ?? file.state;
  return file.why ? `${state}: ${file.why}` : state;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** Escapes text of other sources, such as model names. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-!|<>~$]/g, '\\$&').replaceAll('\n', ' ');
}

/** Of a model that may be asked: how fast it was here, and what it costs. */
export function candidateFacts(it: Candidate): string {
  const { price } = it;
  const isFree = price?.input === 0 && price.output === 0;
  const parts = [
    it.hasTurn && (it.isPicked ? 'in use, for this session' : 'in use'),
    it.firstTokenMs !== null && `first token after ${it.firstTokenMs} ms`,
    it.tokensPerSecond !== null && `${it.tokensPerSecond} tokens/s`,
    price &&
      (isFree ? 'free' : `$${price.input.toFixed(2)} per million tokens read, $${price.output.toFixed(2)} written`),
  ];
  return parts.filter((part) => part).join(', ');
}
