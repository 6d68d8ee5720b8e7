import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux assigns to outgoing connections, so that none takes a port while its program restarts. */
const candidates = { first: 10_000, count: 22_000 };

/** Ports of the loopback address that are free now, for programs whose ports must be known before they start. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = candidates.first + randomInt(candidates.count);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}

/** A TCP port that is free on the loopback address, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Free ports for the settings of a server with all roles. */
export async function freeServerPorts(): Promise<Record<'MQTT_PORT' | 'HTTP_PORT' | 'METRICS_PORT', string>> {
  const [MQTT_PORT, HTTP_PORT, METRICS_PORT] = await freePorts(3);
  return { MQTT_PORT: String(MQTT_PORT), HTTP_PORT: String(HTTP_PORT), METRICS_PORT: String(METRICS_PORT) };
}
