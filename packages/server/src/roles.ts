import {
  type AlertsConfig,
  alertsSettings,
  readConfig as readAlertsConfig,
} from '@visitor-counter/alerts/config';
import { type ApiConfig, apiSettings, readApiConfig } from '@visitor-counter/api/config';
import { backupSettings } from '@visitor-counter/database/backup/backup-files';
import { databaseSettings } from '@visitor-counter/database/embedded/find-database';
import type { ListenerConfig } from '@visitor-counter/gateway/listener/mqtt-server';
import { gatewaySettings, readConfig as readGatewayConfig } from '@visitor-counter/gateway/start/config';
import { logSettings } from '@visitor-counter/service/logger';
import type { Role, StartRolesOptions } from '@visitor-counter/service/roles';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { host, port } from '@visitor-counter/service/settings/kinds';
import {
  type Kind,
  readSettings,
  type Settings,
  type SettingsGroup,
} from '@visitor-counter/service/settings/setting';

export const roleNames = ['gateway', 'projector', 'api', 'alerts'] as const;
export type RoleName = (typeof roleNames)[number];

interface RoleEntry {
  /** The default port of health checks and metrics of a process whose first role this is. */
  readonly metricsPort: number;
  readonly settings: readonly SettingsGroup[];
  /** Reads the settings of the role; throws a ConfigurationError. */
  readonly configure: (env: Environment) => Promise<Role['start']>;
}

/** The code of a role is loaded only if the process has this role, which saves memory. */
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
      const { startProjectorRole } = await import('./start-projector.ts');
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

const folders: Kind<readonly string[]> = {
  expected: 'absolute paths of folders, separated by commas',
  parse: (text) => {
    const paths = text.split(',').map((path) => path.trim());
    return paths.every((path) => path.startsWith('/')) ? [...new Set(paths)] : undefined;
  },
};

const operatorSettings = {
  METRICS_HOST: {
    kind: host,
    default: '127.0.0.1',
    does: 'The address of [health checks](runbook.md#health-checks) and [metrics](runbook.md#metrics).',
  },
  METRICS_PORT: {
    kind: port,
    otherwise:
      '9465; without the role gateway, that of the first other role: projector 9468, api 9466, alerts 9467',
    does: 'The port of health checks and metrics. If the default port is taken, the next free one is used.',
  },
  METRICS_DISKS: {
    kind: folders,
    default: '/',
    does: 'The folders whose disks the metrics contain, separated by commas: name those of the database and of the backups. That of the embedded PostgreSQL is always included.',
  },
} satisfies Settings;

/** The settings of a process with these roles. */
export function settingsOf(roles: readonly RoleName[]): readonly SettingsGroup[] {
  const ofAll = { ...databaseSettings, ...backupSettings, ...logSettings, ...operatorSettings };
  return [{ title: 'All roles', settings: ofAll }, ...roles.flatMap((name) => roleTable[name].settings)];
}

/** Where the operator server of a process with these roles listens, and which disks its metrics contain. */
export function operatorOptions(
  env: Environment,
  [first = 'gateway']: readonly RoleName[],
): Pick<StartRolesOptions, 'operator' | 'disks'> {
  const settings = readSettings(operatorSettings, env);
  return {
    operator: {
      host: settings.METRICS_HOST,
      port: settings.METRICS_PORT ?? roleTable[first].metricsPort,
      setting: 'METRICS_PORT',
      isDefault: settings.METRICS_PORT === undefined,
    },
    disks: settings.METRICS_DISKS,
  };
}

/** The configuration of a process with all roles; a role whose settings cannot be used is left out. */
export interface ServerConfiguration {
  readonly gateway?: ListenerConfig;
  readonly api?: ApiConfig;
  readonly alerts?: AlertsConfig;
  /** Where health checks and metrics are: of a process with all roles first, then of processes with fewer. */
  readonly operators: readonly { readonly host: string; readonly port: number }[];
  /** Folders on the disks that this installation writes to. */
  readonly disks: readonly string[];
  /** Why the server would not start. */
  readonly errors: readonly ConfigurationError[];
}

/** Reads all settings as the server does, without starting anything. */
export async function readServerConfiguration(env: Environment): Promise<ServerConfiguration> {
  const errors: ConfigurationError[] = [];
  const attempt = async <Config>(read: () => Config | Promise<Config>): Promise<Config | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      errors.push(error);
      return undefined;
    }
  };
  const gateway = await attempt(() => readGatewayConfig(env));
  const api = await attempt(() => readApiConfig(env));
  const alerts = await attempt(() => readAlertsConfig(env));
  const operator = (await attempt(() => operatorsOf(env))) ?? { operators: [], disks: [] };
  return { ...(gateway && { gateway }), ...(api && { api }), ...(alerts && { alerts }), ...operator, errors };
}

function operatorsOf(env: Environment): Pick<ServerConfiguration, 'operators' | 'disks'> {
  const { operator, disks } = operatorOptions(env, roleNames);
  if (!operator.isDefault) return { operators: [operator], disks };
  const ports = roleNames.map((name) => roleTable[name].metricsPort);
  return { operators: [...new Set(ports)].map((port) => ({ host: operator.host, port })), disks };
}

/** The names of all settings of the server. */
export function settingNames(): ReadonlySet<string> {
  return new Set(settingsOf(roleNames).flatMap(({ settings }) => Object.keys(settings)));
}
