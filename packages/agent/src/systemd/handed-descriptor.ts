import type { Environment } from '@visitor-counter/service/environment';

/** The first one, as sd_listen_fds(3) has it. */
const first = 3;

/**
 * What systemd has opened for this process under a name (`OpenFile=` of its unit file), as
 * sd_listen_fds_with_names(3) has it; undefined where it has not.
 */
export function handedDescriptor(name: string, env: Environment): number | undefined {
  // Meant for another process that has handed on its environment.
  if (env['LISTEN_PID'] !== String(process.pid)) return undefined;
  const index = (env['LISTEN_FDNAMES'] ?? '').split(':').indexOf(name);
  return index < 0 ? undefined : first + index;
}
