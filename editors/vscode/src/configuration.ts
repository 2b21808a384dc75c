// The server's configuration file: where it is, and what a new one begins with.

import * as os from 'node:os';
import * as path from 'node:path';

/** Where the server looks, whether there is a file or not: `TANDEM_CONFIG`, else below the configuration folder. */
export function configurationPath(environment: Readonly<Record<string, string | undefined>>): string {
  const folder = environment.XDG_CONFIG_HOME || path.join(os.homedir(), '.config');
  return environment.TANDEM_CONFIG || path.join(folder, 'tandem', 'config.toml');
}

export const TEMPLATE = `# Tandem's configuration. Without any, the local engine answers, and nothing leaves this machine.

[providers.openai]
base_url = "https://api.openai.com/v1"
api_key_env = "OPENAI_API_KEY"          # the variable that holds the key; the key itself is never written down
wire = "responses-websocket"

[fast]
candidates = [{ provider = "openai", model = "gpt-5.3-codex-spark" }]
`;
