// What the user can do about a message. Plain functions, data in and text out.

/** A button of a message, and the command that it runs. */
export interface Remedy {
  readonly label: string;
  readonly command: string;
}

export const SET_UP: Remedy = { label: 'Set Up a Model…', command: 'tandem.setUpModel' };
const RAISE_TODAY: Remedy = { label: 'Raise for Today', command: 'tandem.raiseBudget' };
const RAISE_BUDGET: Remedy = { label: 'Raise the Budget', command: 'tandem.openConfiguration' };
export const OPEN_CONFIGURATION: Remedy = { label: 'Open Configuration File', command: 'tandem.openConfiguration' };
const SWITCH_MODEL: Remedy = { label: 'Switch Model…', command: 'tandem.chooseModel' };
const RETRY: Remedy = { label: 'Retry', command: 'tandem.restart' };
const ENTER_KEY: Remedy = { label: 'Enter Key…', command: 'tandem.setUpModel' };
export const DOCTOR: Remedy = { label: 'Doctor', command: 'tandem.doctor' };

/** A phrase in messages for every editor, and the command that does what it asks for here. */
const NAMED: readonly { readonly words: string; readonly remedy: Remedy }[] = [
  { words: '(status 401)', remedy: ENTER_KEY },
  { words: 'holds no key', remedy: ENTER_KEY },
  { words: 'no model answers', remedy: RETRY },
  { words: 'no model answers', remedy: SWITCH_MODEL },
  { words: '`tandem doctor`', remedy: DOCTOR },
  { words: '`tandem setup`', remedy: SET_UP },
  { words: '`budget.day_', remedy: RAISE_TODAY },
  { words: '`budget.', remedy: RAISE_BUDGET },
  { words: '`budget.', remedy: SWITCH_MODEL },
  { words: "Tandem's settings", remedy: OPEN_CONFIGURATION },
];

/** The remedies of what a message names. */
export function remedies(message: string): Remedy[] {
  const named = NAMED.filter(({ words }) => message.includes(words)).map(({ remedy }) => remedy);
  // What a policy limits, the user does not raise.
  return message.includes("a company's policy") ? named.filter((it) => !it.label.startsWith('Raise')) : named;
}

/** A message as a sentence that begins with our name and ends like one. */
export function sentence(said: string): string {
  const text = said.trimEnd();
  const named = text.startsWith('Tandem') ? text : `Tandem: ${text}`;
  return /[.!?…]$/.test(named) ? named : `${named}.`;
}
