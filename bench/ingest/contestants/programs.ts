import { fileURLToPath } from 'node:url';
import { programArgs } from '@visitor-counter/test/service-process';
import { type Program, startProgram } from '../../shared/program.ts';

/** The gateway with all features, as `npx pnpm gateway` and its image run it. */
export function startGateway(databaseUrl: string): Promise<Program> {
  return startProgram({
    args: programArgs('gateway'),
    env: {
      DATABASE_URL: databaseUrl,
      MQTT_PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
    },
  });
}

/** The public interface; one credential may open as many live streams as the process. */
export function startApi(databaseUrl: string): Promise<Program> {
  return startProgram({
    args: programArgs('api'),
    env: {
      DATABASE_URL: databaseUrl,
      HTTP_PORT: '0',
      LOG_LEVEL: 'warn',
      API_STREAMS_PER_COMPANY: '5000',
      API_STREAMS_PER_CREDENTIAL: '5000',
    },
  });
}

export function startBareAedes(): Promise<Program> {
  return startProgram({ args: [programPath('bare-aedes.ts')] });
}

function programPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
