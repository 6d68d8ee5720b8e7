import { hostname, userInfo } from 'node:os';
import type { Author } from '@visitor-counter/database/audit/record-audit';
import type { Environment } from '@visitor-counter/service/settings/environment';

/**
 * The operator who runs this command, for the audit log: `name` if it is given, else OPERATOR, the user who called
 * sudo, or the user of the process; with that user, this computer, and the address of an SSH client.
 */
export function operatorOf(env: Environment, name?: string): Author {
  const user = userOf(env);
  const [client] = (env['SSH_CONNECTION'] ?? env['SSH_CLIENT'] ?? '').split(' ');
  const origin = `${user}@${hostname()}${client ? ` from ${client}` : ''}`;
  return { kind: 'operator', name: name || env['OPERATOR'] || user, credential: null, origin };
}

function userOf(env: Environment): string {
  if (env['SUDO_USER']) return env['SUDO_USER'];
  try {
    return userInfo().username;
  } catch {
    /* A container may have a user without a name. */
    return env['USER'] || `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
