import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import { writeAtomically } from '@visitor-counter/service/files';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { type Heartbeat, UpdateResult } from '@visitor-counter/wire/heartbeat-message';
import { Compile } from 'typebox/compile';

/**
 * Writes an order for the root service counter-update, which validates it again: the agent itself cannot install
 * anything. `version` null orders Debian's security updates only. Rejects if the agent is not installed as a package.
 */
export async function requestUpdate(version: string | null, env: Environment): Promise<void> {
  const { COUNTER_STATE: folder, COUNTER_UPDATES: updates } = env;
  if (!folder || !updates) throw new Error('this agent is not installed as a package');
  await writeAtomically(join(folder, 'update-request'), `${version ?? 'security'}\n`);
}

const shape = Compile(UpdateResult);

/** How the last ordered update has ended, as the service counter-update has written it, for a heartbeat; empty before the first. */
export function updateReport(env: Environment): Pick<Heartbeat, 'update'> {
  const { COUNTER_UPDATES: folder } = env;
  if (!folder) return {};
  try {
    const update = parsedJson(readFileSync(join(folder, 'result'), 'utf8'));
    return shape.Check(update) ? { update } : {};
  } catch {
    return {};
  }
}

export function updateText({ version, result, reason, at }: UpdateResult): string {
  return `${version} ${result} at ${new Date(at).toISOString()}${reason ? `: ${reason}` : ''}`;
}
