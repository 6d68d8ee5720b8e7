import { fileURLToPath } from 'node:url';
import { programArgs, type ServiceProcess, startProcess } from '@visitor-counter/test/service-process';

/** The gateway with all features, as `npx pnpm gateway` and its image run it. */
export function startGateway(databaseUrl: string): Promise<ServiceProcess> {
  return startProcess('gateway', programArgs('gateway'), {
    DATABASE_URL: databaseUrl,
    MQTT_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
  });
}

/** The public interface; a company may open half of the live streams of the process. */
export function startApi(databaseUrl: string): Promise<ServiceProcess> {
  return startProcess('api', programArgs('api'), {
    DATABASE_URL: databaseUrl,
    HTTP_PORT: '0',
    LOG_LEVEL: 'warn',
    API_STREAMS: '10000',
  });
}

export function startBareAedes(): Promise<ServiceProcess> {
  return startProcess('bare aedes', [fileURLToPath(new URL('bare-aedes.ts', import.meta.url))]);
}
