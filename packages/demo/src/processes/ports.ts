import { createServer } from 'node:net';
import { listen } from '@visitor-counter/service/listen';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

export interface PortChoice {
  readonly port: number;
  /** A notice for the operator if it is not the default port. */
  readonly notice?: string;
}

/** How many ports are tried after a default port that is in use. */
const tries = 50;

/**
 * The port on which a service should listen: the configured one, or else the default one, or the next free
 * one if that is in use. Throws an error that names the setting if the configured port is in use.
 */
export async function choosePort(
  setting: string,
  host: string,
  asked: number | undefined,
  fallback: number,
): Promise<PortChoice> {
  if (asked !== undefined) return { port: await probe(setting, host, asked) };
  for (let port = fallback; port < fallback + tries; port += 1) {
    const free = await probe(setting, host, port).catch((error: unknown) => unlessOfPort(error, setting));
    if (free === undefined) continue;
    if (port === fallback) return { port };
    return { port, notice: `Port ${fallback} is taken; using ${port} instead (${setting} chooses another).` };
  }
  const last = fallback + tries - 1;
  throw new ConfigurationError(
    setting,
    undefined,
    `a port that is free on ${host}; none is from ${fallback} to ${last}`,
  );
}

/** Another port helps if this one cannot be used, but not if the host is not an address of this machine. */
function unlessOfPort(error: unknown, setting: string): undefined {
  if (!(error instanceof ConfigurationError && error.setting === setting)) throw error;
}

/** Listens and closes again; returns the free port, which for 0 is the one that the system chose. */
async function probe(setting: string, host: string, port: number): Promise<number> {
  const server = createServer();
  const free = await listen(server, { host, port, setting });
  await new Promise((resolve) => server.close(resolve));
  return free;
}
