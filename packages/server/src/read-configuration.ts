import type { AlertsConfig } from '@visitor-counter/alerts/config';
import { readConfig as readAlertsConfig } from '@visitor-counter/alerts/config';
import { type ApiConfig, readApiConfig } from '@visitor-counter/api/config';
import { type GatewayConfig, readConfig as readGatewayConfig } from '@visitor-counter/gateway/start/config';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { operatorOptions, type RoleName, roleNames, roleTable, settingsOf } from './roles.ts';

/** The configuration of a process with all roles; a role whose settings cannot be used is left out. */
export interface ServerConfiguration {
  readonly gateway?: GatewayConfig;
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
  const operator = (await attempt(() => operatorSettings(env))) ?? { operators: [], disks: [] };
  return { ...(gateway && { gateway }), ...(api && { api }), ...(alerts && { alerts }), ...operator, errors };
}

function operatorSettings(env: Environment): Pick<ServerConfiguration, 'operators' | 'disks'> {
  const { operator, anyOperatorPort, disks } = operatorOptions(env, roleNames);
  if (!anyOperatorPort) return { operators: [operator], disks };
  const ports = roleNames.map((name: RoleName) => roleTable[name].metricsPort);
  return { operators: [...new Set(ports)].map((port) => ({ host: operator.host, port })), disks };
}

/** The names of all settings of the server. */
export function settingNames(): ReadonlySet<string> {
  return new Set(settingsOf(roleNames).flatMap(({ settings }) => Object.keys(settings)));
}
