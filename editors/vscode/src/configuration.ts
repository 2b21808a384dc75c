// The server's files: the configuration, with the template for a new one, and the recording.

import * as os from 'node:os';
import * as path from 'node:path';

/** The path that the server reads, whether the file exists or not. `TANDEM_CONFIG` overrides the default. */
export function configurationPath(environment: Readonly<Record<string, string | undefined>>): string {
  const set = environment.XDG_CONFIG_HOME;
  const folder = set && path.isAbsolute(set) ? set : path.join(os.homedir(), '.config');
  return environment.TANDEM_CONFIG || path.join(folder, 'tandem', 'config.toml');
}

/** The folder with the files of the recording, whether there are any or not. */
export function recordingFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { TANDEM_STATE, XDG_STATE_HOME: state, HOME: home, LOCALAPPDATA: local } = environment;
  const folder = state && path.isAbsolute(state) ? state : home ? path.join(home, '.local', 'state') : (local ?? '');
  return path.join(TANDEM_STATE || path.join(folder, 'tandem'), 'recording');
}

export const TEMPLATE = `# Tandem's configuration. Without a model, the local engine answers, and nothing leaves this machine.

[providers.openai]
base_url = "https://api.openai.com/v1"
api_key_env = "OPENAI_API_KEY"          # the environment variable that holds the key
wire = "responses-websocket"

[fast]
candidates = [{ provider = "openai", model = "gpt-6-luna" }]
`;
