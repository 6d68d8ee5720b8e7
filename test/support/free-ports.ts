import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports of the loopback address that are free now, for programs whose ports must be known before they start. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports = servers.map(async (server) => {
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('not listening on a TCP port');
    return address.port;
  });
  const found = await Promise.all(ports);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return found;
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
