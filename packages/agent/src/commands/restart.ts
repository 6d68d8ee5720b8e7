import type { Environment } from '@visitor-counter/service/environment';
import type { AgentParts } from '../runtime/start-agent.ts';

/**
 * How a server's `restart` is done under systemd: the process stops as though it had been asked to, and its unit
 * file (`Restart=always`) starts another. Nothing where systemd did not start it, so that a unit that nobody
 * starts again is never put out of reach.
 */
export function restartBySystemd(env: Environment): Pick<AgentParts, 'restart'> {
  if (!env['NOTIFY_SOCKET']) return {};
  return { restart: () => process.kill(process.pid, 'SIGTERM') };
}
