// The server's protocol extensions that this extension uses. See editors/protocol.md.

import type * as lsp from 'vscode-languageclient';

/** Usage in one span, in dollars and tokens. */
export interface Usage {
  requests: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  dollars: number;
  /** Requests to models without a known price; `dollars` does not include them. */
  unpriced: number;
}

export interface Gear {
  state: 'off' | 'starting' | 'ready' | 'degraded' | 'offline' | 'refused' | 'capped';
  provider?: string | null;
  asked?: string | null;
  served?: string | null;
  tier?: string | null;
  degraded?: string | null;
  firstTokenMs?: number | null;
  totalMs?: number | null;
  tokensPerSecond?: number | null;
  refused?: { provider: string; model: string; why: string }[];
}

export interface Status {
  state: 'starting' | 'ready' | 'local' | 'degraded' | 'offline' | 'snoozed' | 'capped';
  /** One line, to be shown verbatim. */
  text: string;
  serverVersion?: string;
  gears?: Partial<Record<'local' | 'fast' | 'deep', Gear>>;
  eagerness?: 'low' | 'medium' | 'high';
  /** Unix milliseconds. */
  snoozedUntil?: number | null;
  /** With `indicator_only`: a hidden suggestion is available on explicit request. */
  available?: boolean;
  /** Whether the server records. */
  recording?: boolean;
  usage?: { session?: Usage; day?: Usage };
  /** The process that serves several windows; null if this one has its own. */
  shared?: { windows: number; process: number } | null;
  canary?: string | null;
  caps?: { reached?: string | null };
  suggestions?: { shown: number; accepted: number; rejected: number };
  file?: { uri: string; state: string; why?: string | null };
}

/** One model that a gear may ask. */
export interface Candidate {
  provider: string;
  model: string;
  /** The model, to be shown. */
  name: string;
  hasTurn: boolean;
  isPicked: boolean;
  isUsable: boolean;
  /** Why it is passed over, or cannot be asked. */
  why: string | null;
  firstTokenMs: number | null;
  tokensPerSecond: number | null;
  /** In dollars per million tokens. */
  price: { input: number; output: number } | null;
}

/** The answer to `tandem.models` and to `tandem.useModel`. */
export type Models = Record<'fast' | 'deep', Candidate[]>;

/** The answer to `tandem.rewrite`. */
export interface Rewritten {
  gear: string;
  model: string | null;
  flags?: string[];
  /** With `preview: true` only. */
  edit?: lsp.WorkspaceEdit;
  /** The uses elsewhere that no longer fit; one of the flags counts them. */
  left?: Left;
}

/** The answer to `tandem.rewrite` with `show: true`. */
export interface Target {
  target: { name: string | null; range: lsp.Range };
}

/** The answer to `tandem.plan`. */
export interface Planned {
  status: 'planned' | 'done' | 'unchanged' | 'incomplete' | 'unsupported';
  reason?: string;
  plan?: string;
  notes?: string[];
  findings?: string[];
  /** What runs the tests among the changed files. */
  testCommand?: string | null;
  steps?: { number: number; path: string; status: string; why: string | null }[];
  /** With `preview: true` only. */
  edit?: lsp.WorkspaceEdit;
}

/** The answer to `tandem.checkPlan`. */
export interface Checked {
  /** What is wrong without the files that are left out. */
  findings: string[];
}

/** The answer to `tandem.job` for `explain`. */
export interface Explained {
  text: string;
}

/** The answer to `tandem.job` for `review`. */
export interface Reviewed {
  findings: number;
}

/** A place in an answer to `tandem.ask`. */
export interface AnswerPlace {
  uri: string;
  range: lsp.Range;
  path?: string;
  /** Its line. */
  text?: string;
  signature?: string;
}

/** The answer to `tandem.ask`. */
export interface Answered {
  answers: AnswerPlace[];
  /** Null without a model. */
  reply?: { text: string; places: AnswerPlace[] } | null;
}

export interface Why {
  text: string;
  decisions: {
    at: number;
    uri: string;
    line: number;
    job: string;
    trigger: string;
    outcome: 'shown' | 'nothing';
    code: string | null;
    why: string;
    gear: string | null;
    model: string | null;
    milliseconds: number;
    advice?: string | null;
  }[];
}

export interface NextEdit {
  id: number;
  text: string;
  range: lsp.Range;
  textDocument: { uri: string; version: number | null };
  /** What was renamed, if it follows from that for certain. */
  rename?: Rename;
  command: lsp.Command;
}

/** The answer to `tandem/nextEdit`. */
export interface NextEdits {
  edits: NextEdit[];
  left?: Left;
}

/** What the last change leaves to do in other files. */
export interface Left {
  places: lsp.Location[];
  rename?: Rename;
  /** For `tandem.plan`. */
  instruction?: string;
}

/** A name that was changed where it is declared. */
export interface Rename {
  from: string;
  to: string;
  range: lsp.Range;
  textDocument: VersionedDocument;
}

export interface VersionedDocument {
  uri: string;
  version: number;
}

/** `tandem/ghostTextChanged`. */
export interface GhostTextChanged {
  textDocument: VersionedDocument;
}
