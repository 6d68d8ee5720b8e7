import { onTestFinished } from 'vitest';
import { type ServiceProcess, startService } from './service-process.ts';

/** A gateway with a projector in a process of its own, on any free ports. It is killed when the test ends. */
export async function startGatewayProcess(databaseUrl: string): Promise<ServiceProcess> {
  /* On a busy machine a login takes longer than by default. */
  const env = { DATABASE_URL: databaseUrl, MQTT_PORT: '0', METRICS_PORT: '0', MQTT_LOGIN_SECONDS: '100' };
  const gateway = await startService('gateway', [], env);
  onTestFinished(() => gateway.kill());
  return gateway;
}
