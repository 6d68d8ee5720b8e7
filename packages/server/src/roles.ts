import { alertsSettings, readConfig as readAlertsConfig } from '@visitor-counter/alerts/config';
import { apiSettings, readApiConfig } from '@visitor-counter/api/config';
import { gatewaySettings, readConfig as readGatewayConfig } from '@visitor-counter/gateway/start/config';
import type { Role } from '@visitor-counter/service/roles';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import type { SettingsGroup } from '@visitor-counter/service/settings/setting';

export const roleNames = ['gateway', 'projector', 'api', 'alerts'] as const;
export type RoleName = (typeof roleNames)[number];

interface RoleEntry {
  /** The default port of health checks and metrics of a process whose first role this is. */
  readonly metricsPort: number;
  readonly settings: readonly SettingsGroup[];
  /** Reads the settings of the role; throws a ConfigurationError. */
  readonly configure: (env: Environment) => Promise<Role['start']>;
}

/** The code of a role is loaded only where it runs: a process with one role does not pay for the others. */
export const roleTable: Readonly<Record<RoleName, RoleEntry>> = {
  gateway: {
    metricsPort: 9465,
    settings: gatewaySettings,
    configure: async (env) => {
      const config = readGatewayConfig(env);
      const { startGateway } = await import('@visitor-counter/gateway/start/start-gateway');
      return (context) => startGateway(config, context);
    },
  },
  projector: {
    metricsPort: 9468,
    settings: [],
    configure: async () => {
      const { startProjectorRole } = await import('./projector/start-projector-role.ts');
      return startProjectorRole;
    },
  },
  api: {
    metricsPort: 9466,
    settings: apiSettings,
    configure: async (env) => {
      const config = await readApiConfig(env);
      const { startApi } = await import('@visitor-counter/api/start-api');
      return (context) => startApi(config, context);
    },
  },
  alerts: {
    metricsPort: 9467,
    settings: alertsSettings,
    configure: async (env) => {
      const config = readAlertsConfig(env);
      const { startAlerts } = await import('@visitor-counter/alerts/start-alerts');
      return (context) => startAlerts(config, context);
    },
  },
};

/** The roles of a list such as `gateway,api`, in the order of `roleNames`. Throws a ConfigurationError for another name. */
export function rolesIn(list: string): RoleName[] {
  const names = list.split(',').map((name) => name.trim());
  if (!names.every((name) => roleNames.some((known) => known === name))) {
    const expected = `one or more of ${roleNames.join(', ')}, separated by commas`;
    throw new ConfigurationError('--role', list, expected);
  }
  return roleNames.filter((name) => names.includes(name));
}
