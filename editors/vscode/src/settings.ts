// From VS Code's settings to the server's, which have the names of the configuration file.

/** Which server setting each of ours is. Those that the user has not set are not sent: the file's value holds. */
const NAMES: Readonly<Record<string, string>> = {
  disableIn: 'disable_in',
  eagerness: 'eagerness',
  indicatorOnly: 'indicator_only',
  languages: 'languages',
  maxGhostLines: 'max_ghost_lines',
  'nextEdit.enabled': 'next_edit',
  profile: 'profile',
};

/** The part of `vscode.WorkspaceConfiguration` that is needed here. */
export interface Source {
  inspect<T>(section: string): Layers<T> | undefined;
  get<T>(section: string): T | undefined;
}

interface Layers<T> {
  globalValue?: T;
  workspaceValue?: T;
  workspaceFolderValue?: T;
}

/** What the server is told: what the user has set, and nothing else. */
export function serverSettings(source: Source): Record<string, unknown> {
  const settings: Record<string, unknown> = { ...source.get<object>('configuration') };
  for (const [ours, theirs] of Object.entries(NAMES)) {
    if (isSet(source.inspect(ours))) {
      settings[theirs] = source.get(ours);
    }
  }
  return settings;
}

function isSet(layers: Layers<unknown> | undefined): boolean {
  return (
    layers !== undefined &&
    [layers.globalValue, layers.workspaceValue, layers.workspaceFolderValue].some((value) => value !== undefined)
  );
}
