import { logCommand, type ServiceState, serviceOf, serviceState } from '../machine/service-state.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Whether the service of this file runs and starts with the machine, as systemd reports it; empty when there is no service. */
export async function checkService(config: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const service = await serviceOf(config, env);
  const state = service && (await serviceState(service, env));
  return state ? [judgeService(service, state), ...judgeEnabled(service, state)] : [];
}

/** What the state of a service means for an installer. */
export function judgeService(service: string, state: ServiceState): Finding {
  const { ActiveState, SubState, Result, NRestarts } = state;
  const restarts = NRestarts === '0' ? '' : `, restarted ${NRestarts} times`;
  const why = `\`${logCommand(service)}\` shows why`;
  const start = `\`sudo systemctl restart ${service}\``;
  if (ActiveState === 'active') return ok('service', `${service} runs${restarts}`);
  if (ActiveState === 'failed' || SubState === 'auto-restart') {
    return fail('service', `${service} fails (${Result})${restarts}`, `${why}; then ${start}`);
  }
  if (ActiveState === 'inactive') return fail('service', `${service} is stopped`, start);
  return fail('service', `${service} is not up yet (${SubState})${restarts}`, `wait a moment; ${why}`);
}

/** A service that runs now but does not start with the machine stops counting at the next power cut. */
export function judgeEnabled(service: string, { UnitFileState }: ServiceState): Finding[] {
  if (UnitFileState === 'enabled') return [];
  const detail = `${service} is ${UnitFileState || 'not enabled'}: after the next start of the machine nothing is counted`;
  const unmask = UnitFileState.startsWith('masked') ? `sudo systemctl unmask ${service} && ` : '';
  return [fail('start at boot', detail, `\`${unmask}sudo systemctl enable --now ${service}\``)];
}
