// The texts of choosing a model: the rows of its lists, and its outcome. Plain functions, data in and text out.

/** A provider as `tandem setup --list --json` describes it. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  /** Empty if the user has to name it. */
  readonly baseUrl: string;
  readonly wire: string;
  readonly keyVariable: string | null;
  readonly keyPage: string;
  readonly state: { readonly kind: 'runs' | 'hasKey' | 'needsKey' | 'absent' | 'elsewhere'; readonly models?: number };
}

export interface Problem {
  readonly what: string;
  readonly nextStep: string;
}

/** What every answer of `tandem setup --json` may have. */
export interface Failure {
  readonly problem?: Problem | null;
  /** Another key is to be asked for. */
  readonly keyRefused?: boolean;
}

/** The outcome of `tandem setup --json`. */
export interface Outcome extends Failure {
  readonly status: 'failed' | 'written' | 'changed' | 'unchanged';
  readonly path: string;
  readonly answeredMs: number | null;
  readonly inKeychain: boolean;
  readonly profileLine: string | null;
  readonly notes: readonly string[];
  readonly problem: Problem | null;
}

/** A provider's row: its name, what is there of it, and its speed and price. */
export function providerRow(provider: Provider): { label: string; description: string; detail: string } {
  const { kind, models = 0 } = provider.state;
  const description = {
    runs: models === 0 ? 'running, no model loaded' : `running, ${models} ${models === 1 ? 'model' : 'models'}`,
    hasKey: 'its key is set',
    needsKey: 'needs a key',
    absent: 'not running',
    elsewhere: '',
  }[kind];
  return { label: provider.name, description, detail: provider.about };
}

/** Whether a URL leads to this machine, where servers want no key. */
export function isLocal(url: string): boolean {
  return /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])([:/]|$)/.test(url);
}

/** The prompt of the key box, or undefined if no key is needed. */
export function keyPrompt(provider: Provider, baseUrl: string): string | undefined {
  const where = 'It goes into the system’s keychain, not into a file.';
  switch (provider.state.kind) {
    case 'needsKey':
      return `Get one at ${provider.keyPage}. ${where}`;
    case 'elsewhere':
      return isLocal(baseUrl) ? undefined : `Leave it empty if the server needs none. ${where}`;
    default:
      return undefined;
  }
}

/** How a provider is called: a server that the user has named, by its host. */
export function nameOf(provider: Provider, baseUrl: string): string {
  const host = provider.baseUrl === '' ? /^https?:\/\/([^/]+)/.exec(baseUrl)?.[1] : undefined;
  return host ?? provider.name;
}

/** The prompt for a model where none is listed: some servers have no list, and some list nothing for a wrong key. */
export function noListText(name: string, withKey: boolean): string {
  return `${name} lists no models${withKey ? ' for this key' : ''}. Type the name of one, as the server spells it.`;
}

/** A problem in one sentence, with the remedy. */
export function problemText({ what, nextStep }: Problem): string {
  return nextStep === '' ? what : `${what}; ${nextStep}`;
}

/** The message about a model that answers. */
export function outcomeText(model: string, outcome: Outcome): string {
  const answered = outcome.answeredMs === null ? '' : ` It answered in ${outcome.answeredMs} ms.`;
  return [`Tandem now uses ${model}.${answered}`, ...outcome.notes].join(' ');
}

/** The message where a key cannot be stored, beside the line to be copied. */
export function keyLineText(platform: NodeJS.Platform): string {
  const todo =
    platform === 'win32'
      ? 'Run a line with the key in a terminal, then close all windows of VS Code and start it again.'
      : 'Add a line with the key to your shell’s profile, and start VS Code from a new shell.';
  return `Tandem: this machine has no keychain that can be used, so the key was not stored. ${todo}`;
}
