import { userInfo } from 'node:os';
import type { Environment } from '@visitor-counter/service/environment';

/** Who runs this command, as the system knows them: the one behind sudo, else the user of the process. */
export function operatorName(env: Environment): string {
  if (env['SUDO_USER']) return env['SUDO_USER'];
  try {
    return userInfo().username;
  } catch {
    /* A container may have a user without a name. */
    return env['USER'] || `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
