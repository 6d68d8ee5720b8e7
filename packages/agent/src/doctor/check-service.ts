import { type ServiceState, serviceOf, serviceState } from '../systemd/service-state.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Whether the service that runs with this file is up, as systemd sees it; nothing where there is none. */
export async function checkService(config: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const service = await serviceOf(config, env);
  const state = service && (await serviceState(service, env));
  return state ? [judgeService(service, state)] : [];
}

/** What the state of a service means for the one who looks at the unit. */
export function judgeService(service: string, state: ServiceState): Finding {
  const { ActiveState, SubState, Result, NRestarts } = state;
  const restarts = NRestarts === '0' ? '' : `, started anew ${NRestarts} times`;
  const why = `\`journalctl -u ${service} -n 20\` says why`;
  const start = `\`sudo systemctl restart ${service}\``;
  if (ActiveState === 'active') return ok('service', `${service} runs${restarts}`);
  if (ActiveState === 'failed' || SubState === 'auto-restart') {
    return fail('service', `${service} fails (${Result})${restarts}`, `${why}; then ${start}`);
  }
  if (ActiveState === 'inactive') return fail('service', `${service} is stopped`, start);
  return fail('service', `${service} is not up yet (${SubState})${restarts}`, `wait a moment; ${why}`);
}
