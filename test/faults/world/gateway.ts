import { join } from 'node:path';
import type { Release } from '@visitor-counter/test/release';
import { programArgs } from '@visitor-counter/test/service-process';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { movingClock, Supervised } from './supervised.ts';

/** A gateway under attack. */
export interface Gateway {
  readonly process: Supervised;
  readonly port: number;
}

export interface ServiceOptions {
  readonly databaseUrl: string;
  readonly logFolder: string;
  readonly release: Release;
}

/** The arguments of `node` for a gateway of a release. */
export function gatewayArgs(release: Release): readonly string[] {
  return [...movingClock, ...programArgs('gateway', release)];
}

const ready = Compile(Type.Object({ mqttPort: Type.Integer() }));

/** Starts a gateway on a free port, which it also uses after restarts. */
export async function startGateway(
  name: string,
  { databaseUrl, logFolder, release }: ServiceOptions,
): Promise<Gateway> {
  let port = 0;
  const process = new Supervised({
    name,
    args: gatewayArgs(release),
    env: () => ({ DATABASE_URL: databaseUrl, MQTT_PORT: String(port), METRICS_PORT: '0' }),
    logFile: join(logFolder, `${name}.log`),
  });
  port = ready.Parse(await process.start()).mqttPort;
  return { process, port };
}
