// The model picker: the candidates of each gear with their speed and price, and one of them to be asked first.

import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient';
import { run } from './child';
import { show, warn } from './messages';
import type { Candidate, Models } from './protocol';
import { SET_UP } from './remedies';
import type { Server } from './server';
import { candidateFacts } from './statusText';

/** How long a message stays in the status bar. */
const MESSAGE_MS = 5000;

type GearName = keyof Models;

/** Writes a candidate into the configuration file as the first of its gear. */
async function keep(server: Server, gear: GearName, { provider, model }: Candidate): Promise<void> {
  const program = server.program;
  if (!program) {
    throw new Error(server.failure ?? 'no program has been found yet');
  }
  const { code, failure } = await run(program.path, ['model', provider, model, ...(gear === 'deep' ? ['--deep'] : [])]);
  if (code !== 0) {
    throw failure;
  }
}

/** Says that a gear has no other model. */
function sayOnly({ gear, it }: { gear: GearName; it: Candidate }): void {
  const facts = it.why ?? candidateFacts(it);
  const message = `the only ${gear} model is ${it.name} (${it.provider})${facts ? `, ${facts}` : ''}`;
  void show(MessageType.Info, message, [SET_UP]);
}

/** Lets the user choose a model, for this session or for good. */
export async function chooseModel(server: Server): Promise<void> {
  const client = server.require();
  if (!client) {
    return;
  }
  const execute = (command: string, ...args: unknown[]) =>
    client.sendRequest<Models>('workspace/executeCommand', { command, arguments: args });
  const models = await execute('tandem.models');
  const rows: (vscode.QuickPickItem & { readonly chosen?: { gear: GearName; it: Candidate } })[] = [];
  for (const gear of ['fast', 'deep'] as const) {
    if (models[gear].length > 0) {
      rows.push({ label: gear, kind: vscode.QuickPickItemKind.Separator });
    }
    for (const it of models[gear]) {
      const label = `${it.isUsable ? '' : '$(circle-slash) '}${it.name}`;
      const row = { label, description: it.provider, detail: it.why ?? candidateFacts(it), chosen: { gear, it } };
      rows.push(row);
    }
  }
  if (rows.length === 0) {
    void warn('no model is configured; `tandem setup` adds one');
    return;
  }
  const [only, ...others] = rows.flatMap((row) => row.chosen ?? []);
  if (only && others.length === 0) {
    sayOnly(only);
    return;
  }
  const picked = await vscode.window.showQuickPick(rows, {
    title: 'Model',
    placeHolder: 'Choose the one to be asked first',
  });
  if (!picked?.chosen) {
    return;
  }
  const { gear, it } = picked.chosen;
  if (!it.isUsable) {
    void warn(`${it.name} cannot be used: ${it.why ?? 'no reason is known'}`);
    return;
  }
  if (models[gear].length === 1) {
    sayOnly({ gear, it });
    return;
  }
  const spans = [
    { label: 'For This Session', isForGood: false },
    { label: 'For Good', description: 'written into the configuration file', isForGood: true },
  ];
  const span = await vscode.window.showQuickPick(spans, { title: `Use ${it.name}` });
  if (!span) {
    return;
  }
  try {
    if (span.isForGood) {
      await keep(server, gear, it);
    }
    // What is written holds by itself, and for what is picked next.
    const pick = span.isForGood ? { gear } : { gear, provider: it.provider, model: it.model };
    await execute('tandem.useModel', pick);
    const until = span.isForGood ? 'from now on' : 'for this session';
    vscode.window.setStatusBarMessage(`Tandem: the ${gear} model is now ${it.name}, ${until}`, MESSAGE_MS);
  } catch (error) {
    void warn(error instanceof Error ? error.message : String(error));
  }
}
