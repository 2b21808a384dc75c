// The rows of "Why is there no suggestion?". Plain functions, data in and text out.

import type { Status, Why } from './protocol';

type Decision = Why['decisions'][number];

export interface WhyRow {
  /** The reason, which fits a row of the list. */
  readonly label: string;
  readonly detail: string;
  /** The command that does what the row advises. */
  readonly command?: string;
}

/** The text of a row's advice, and the command that follows it. */
const ADVICE: Readonly<Record<string, { readonly text: string; readonly command: string }>> = {
  'configure-model': { text: 'Set up a model', command: 'tandem.setUpModel' },
  'check-model': { text: 'Check the model', command: 'tandem.doctor' },
  'raise-budget': { text: 'Open the configuration file, which sets the budget', command: 'tandem.openConfiguration' },
  'raise-eagerness': { text: 'Raise the eagerness', command: 'tandem.setEagerness' },
  'end-snooze': { text: 'End the snooze', command: 'tandem.wake' },
};

/** The states in which little or nothing is suggested, whatever is typed, and the advice for each. */
const HINDERED: Readonly<Record<string, string>> = {
  offline: 'check-model',
  capped: 'raise-budget',
  snoozed: 'end-snooze',
};

/** What hinders suggestions now, if something does: the newest outcome need not show it. */
export function hindranceRows(status: Status | undefined): WhyRow[] {
  const advice = status && ADVICE[HINDERED[status.state] ?? ''];
  return advice
    ? [
        {
          label: `$(warning) ${sentence(status.text)}`,
          detail: `→ ${advice.text}: press Enter`,
          command: advice.command,
        },
      ]
    : [];
}

/** The rows of recent outcomes, the newest first. */
export function whyRows(decisions: readonly Decision[]): WhyRow[] {
  return groups(decisions).map((group) => {
    const [decision] = group;
    const time = new Date(decision.at).toLocaleTimeString('en-GB');
    const jobs = [...new Set(group.map((it) => it.job))].join(' and ');
    const place = [`line ${decision.line + 1}`, jobs, time];
    const source = decision.model ?? decision.gear ?? '';
    const facts = [...place, decision.trigger, `${Math.round(decision.milliseconds)} ms`, source].filter(Boolean);
    const advice = decision.advice ? ADVICE[decision.advice] : undefined;
    const icon = decision.outcome === 'shown' ? 'check' : 'dash';
    return {
      label: `$(${icon}) ${sentence(decision.why)}`,
      // With advice, there is no room for more.
      detail: advice ? `→ ${advice.text}: press Enter (${place.join(', ')})` : facts.join(', '),
      ...(advice && { command: advice.command }),
    };
  });
}

/** Decisions on one key: ghost text and next edit mostly have the same reason. */
function groups(decisions: readonly Decision[]): (readonly [Decision, ...Decision[]])[] {
  const found: [Decision, ...Decision[]][] = [];
  for (const decision of decisions) {
    const last = found.at(-1);
    if (last && last[0].line === decision.line && last[0].why === decision.why) {
      last.push(decision);
    } else {
      found.push([decision]);
    }
  }
  return found;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
