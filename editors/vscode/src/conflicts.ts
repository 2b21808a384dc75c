// Conflicts: other extensions that draw ghost text. VS Code shows only one suggestion at a position.

import * as vscode from 'vscode';

/** Extensions known to draw ghost text, each with the setting that disables it, if there is one. */
const CONFLICTS: Readonly<Record<string, string | undefined>> = {
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

const WARNED_KEY = 'tandem.toldOfOthers';
const STARTUP_DELAY_MS = 5000;

/** Warns once about each conflicting extension, and offers to disable either. */
export function watchConflicts(context: vscode.ExtensionContext): void {
  const check = () => void warn(context);
  // Other extensions may still be starting.
  const timer = setTimeout(check, STARTUP_DELAY_MS);
  context.subscriptions.push(vscode.extensions.onDidChange(check), new vscode.Disposable(() => clearTimeout(timer)));
}

async function warn(context: vscode.ExtensionContext): Promise<void> {
  const warned = context.globalState.get<string[]>(WARNED_KEY, []);
  const found = vscode.extensions.all.find((it) => {
    const id = it.id.toLowerCase();
    return it.isActive && id in CONFLICTS && !warned.includes(id);
  });
  if (!found || isGhostTextOff(found.id.toLowerCase())) {
    return;
  }
  const id = found.id.toLowerCase();
  await context.globalState.update(WARNED_KEY, [...warned, id]);
  const name = String((found.packageJSON as { displayName?: unknown }).displayName ?? found.id);
  const setting = CONFLICTS[id];
  const open = setting ? `Settings of ${name}` : 'Show Extension';
  const disableOwn = 'Turn Tandem’s Off';
  const picked = await vscode.window.showInformationMessage(
    `Tandem: ${name} also draws ghost text. VS Code shows only one suggestion at a time, and Tab accepts that one. Turn one of them off.`,
    open,
    disableOwn,
  );
  if (picked === disableOwn) {
    await vscode.workspace.getConfiguration('tandem').update('ghostText', false, vscode.ConfigurationTarget.Global);
  } else if (picked === open) {
    await (setting
      ? vscode.commands.executeCommand('workbench.action.openSettings', setting)
      : vscode.commands.executeCommand('extension.open', found.id));
  }
}

/** Whether ghost text is turned off here or in Copilot, which is built into VS Code and active even if unused. */
function isGhostTextOff(id: string): boolean {
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
