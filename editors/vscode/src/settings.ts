// Maps VS Code's settings to the server's, which are named as in the configuration file.

/** The server's name of each setting. Settings that the user has not set are not sent, so that the file's apply. */
const NAMES: Readonly<Record<string, string>> = {
  disableIn: 'disable_in',
  eagerness: 'eagerness',
  indicatorOnly: 'indicator_only',
  languages: 'languages',
  maxGhostLines: 'max_ghost_lines',
  'nextEdit.enabled': 'next_edit',
  profile: 'profile',
};

/** The part of `vscode.WorkspaceConfiguration` that this module uses. */
export interface Source {
  inspect<T>(section: string): Layers<T> | undefined;
  get<T>(section: string): T | undefined;
}

interface Layers<T> {
  globalValue?: T;
  workspaceValue?: T;
  workspaceFolderValue?: T;
}

/** The settings to send: only those that the user has set. */
export function serverSettings(source: Source): Record<string, unknown> {
  const settings: Record<string, unknown> = { ...source.get<object>('configuration') };
  for (const [name, serverName] of Object.entries(NAMES)) {
    if (isSet(source.inspect(name))) {
      settings[serverName] = source.get(name);
    }
  }
  return settings;
}

/** The value of `tandem.languages` with which one language, by its identifier, is on or off. */
export function withLanguage(
  languages: Readonly<Record<string, object>>,
  id: string,
  enabled: boolean,
): Record<string, object> {
  return { ...languages, [id]: { ...languages[id], enabled } };
}

function isSet(layers: Layers<unknown> | undefined): boolean {
  return (
    layers !== undefined &&
    [layers.globalValue, layers.workspaceValue, layers.workspaceFolderValue].some((value) => value !== undefined)
  );
}
