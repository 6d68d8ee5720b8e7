import { databaseSettings } from '@visitor-counter/database/embedded/find-database';
import type { Address } from '@visitor-counter/service/listen';
import { logSettings } from '@visitor-counter/service/logger';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { host, port } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings, type SettingsGroup } from '@visitor-counter/service/settings/setting';
import { type RoleName, roleTable } from './roles.ts';

const operatorSettings = {
  METRICS_HOST: {
    kind: host,
    default: '127.0.0.1',
    does: 'The address of [health checks](operators.md#health-checks) and [metrics](operators.md#metrics).',
  },
  METRICS_PORT: {
    kind: port,
    otherwise:
      '9465; without the role gateway, that of the first other role: projector 9468, api 9466, alerts 9467',
    does: 'The port of health checks and metrics. If the default port is taken, the next free one is used.',
  },
} satisfies Settings;

/** The settings of a process with these roles. */
export function settingsOf(roles: readonly RoleName[]): readonly SettingsGroup[] {
  const ofAll = { ...databaseSettings, ...logSettings, ...operatorSettings };
  return [{ title: 'All roles', settings: ofAll }, ...roles.flatMap((name) => roleTable[name].settings)];
}

/** Where the operator server of a process with these roles listens. */
export function operatorAddress(
  env: Environment,
  [first = 'gateway']: readonly RoleName[],
): { readonly operator: Address; readonly anyOperatorPort: boolean } {
  const settings = readSettings(operatorSettings, env);
  return {
    operator: {
      host: settings.METRICS_HOST,
      port: settings.METRICS_PORT ?? roleTable[first].metricsPort,
      setting: 'METRICS_PORT',
    },
    anyOperatorPort: settings.METRICS_PORT === undefined,
  };
}
