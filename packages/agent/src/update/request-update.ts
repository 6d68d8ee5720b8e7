import { join } from 'node:path';
import { writeAtomically } from '@visitor-counter/service/files';
import type { Environment } from '@visitor-counter/service/settings/environment';

/**
 * Writes an order for the root service counter-update, which validates it again: the agent itself cannot install
 * anything. `version` null orders Debian's security updates only. Rejects if the agent is not installed as a package.
 */
export async function requestUpdate(version: string | null, env: Environment): Promise<void> {
  const { COUNTER_STATE: folder, COUNTER_UPDATES: updates } = env;
  if (!folder || !updates) throw new Error('this agent is not installed as a package');
  await writeAtomically(join(folder, 'update-request'), `${version ?? 'security'}\n`);
}
