import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '@visitor-counter/service/settings/environment';

const run = promisify(execFile);

const properties = ['LoadState', 'UnitFileState', 'ActiveState', 'SubState', 'Result', 'NRestarts'] as const;

/** The state of a service as systemd reports it, by the property names of systemctl(1). */
export type ServiceState = Readonly<Partial<Record<(typeof properties)[number], string>>>;

/**
 * The name of the service that runs with a configuration file: the package's for the package's file (COUNTER_SERVICE
 * and COUNTER_CONFIG, which the package sets), where systemd runs. Undefined for every other file.
 */
export async function serviceOf(config: string, env: Environment): Promise<string | undefined> {
  const { COUNTER_SERVICE: service, COUNTER_CONFIG: configured } = env;
  if (!service || !configured || resolve(config) !== resolve(configured)) return undefined;
  return await access('/run/systemd/system').then(
    () => service,
    () => undefined,
  );
}

/** The state of a service; undefined when systemd does not know it or does not answer. */
export async function serviceState(
  service: string,
  env: NodeJS.ProcessEnv,
): Promise<ServiceState | undefined> {
  try {
    const args = ['show', '-p', properties.join(','), service];
    const { stdout } = await run('systemctl', args, { env, timeout: 10_000 });
    const state: ServiceState = Object.fromEntries(stdout.split('\n').map((line) => line.split('=', 2)));
    return state.LoadState === 'loaded' ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Restarts a service. Resolves with whether it runs. */
export async function restartService(service: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await run('systemctl', ['restart', service], { env });
    await run('systemctl', ['is-active', '--quiet', service], { env });
    return true;
  } catch {
    return false;
  }
}

/** The command that prints the last log lines of a service. The agent logs to a journal namespace of its own. */
export function logCommand(service: string): string {
  return `sudo journalctl --namespace=+counter-agent -u ${service} -n 20`;
}
