// Other extensions that draw ghost text: two at once take turns on the same spot.

import * as vscode from 'vscode';

/** Extensions of which we know that they draw ghost text, and the setting that keeps them from it, if there is one. */
const OTHERS: Readonly<Record<string, string | undefined>> = {
  'github.copilot': 'github.copilot.enable',
  'github.copilot-chat': 'github.copilot.enable',
  'codeium.codeium': 'codeium.enableConfig',
  'continue.continue': 'continue.enableTabAutocomplete',
  'tabnine.tabnine-vscode': 'tabnine.disableAutoSuggestions',
  'supermaven.supermaven': undefined,
  'tabbyml.vscode-tabby': 'tabby.inlineCompletion.triggerMode',
  'amazonwebservices.amazon-q-vscode': undefined,
  'augment.vscode-augment': undefined,
};

const STATE = 'tandem.toldOfOthers';
const LATER_MS = 5000;

/** Says once for each such extension what to do. */
export function watchOthers(context: vscode.ExtensionContext): void {
  const look = () => void tell(context);
  // Others are still starting when we are.
  const timer = setTimeout(look, LATER_MS);
  context.subscriptions.push(vscode.extensions.onDidChange(look), new vscode.Disposable(() => clearTimeout(timer)));
}

async function tell(context: vscode.ExtensionContext): Promise<void> {
  const told = context.globalState.get<string[]>(STATE, []);
  const found = vscode.extensions.all.find((it) => {
    const id = it.id.toLowerCase();
    return it.isActive && id in OTHERS && !told.includes(id);
  });
  if (!found || isSwitchedOff(found.id.toLowerCase())) {
    return;
  }
  const id = found.id.toLowerCase();
  await context.globalState.update(STATE, [...told, id]);
  const name = String((found.packageJSON as { displayName?: unknown }).displayName ?? found.id);
  const setting = OTHERS[id];
  const open = setting ? `Settings of ${name}` : 'Show Extension';
  const ours = 'Switch Tandem’s Off';
  const picked = await vscode.window.showInformationMessage(
    `Tandem: ${name} draws ghost text, too. Of two suggestions only one is shown, and Tab takes that one. Switch off one of them.`,
    open,
    ours,
  );
  if (picked === ours) {
    await vscode.workspace.getConfiguration('tandem').update('ghostText', false, vscode.ConfigurationTarget.Global);
  } else if (picked === open) {
    await (setting
      ? vscode.commands.executeCommand('workbench.action.openSettings', setting)
      : vscode.commands.executeCommand('extension.open', found.id));
  }
}

/** Copilot's own switch for all languages: built into VS Code, it is active even where nobody uses it. */
function isSwitchedOff(id: string): boolean {
  const configuration = vscode.workspace.getConfiguration();
  if (configuration.get<boolean>('tandem.ghostText') === false) {
    return true;
  }
  if (!id.startsWith('github.copilot')) {
    return false;
  }
  const isEnabled = configuration.get<Record<string, boolean>>('github.copilot.enable', {});
  return isEnabled['*'] === false || configuration.get<boolean>('chat.disableAIFeatures') === true;
}
