import { userInfo } from 'node:os';
import type { Environment } from '@visitor-counter/service/environment';

/** The system user who runs this command: the user who called sudo, otherwise the user of the process. */
export function operatorName(env: Environment): string {
  if (env['SUDO_USER']) return env['SUDO_USER'];
  try {
    return userInfo().username;
  } catch {
    /* A container may have a user without a name. */
    return env['USER'] || `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
