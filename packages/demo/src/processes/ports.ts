import { createServer } from 'node:net';
import { listen } from '@visitor-counter/service/listen';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

export interface PortChoice {
  readonly port: number;
  /** What to tell the operator when it is not the one they would expect. */
  readonly notice?: string;
}

/** How many ports after a taken default are tried. */
const tries = 50;

/**
 * The port a service is to listen on: the one that was asked for, or the default one, or when that is
 * taken the next free one. An asked one that is taken is an error that names its setting.
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

/** Another port helps where this one cannot be had, and not where the host is none of this machine. */
function unlessOfPort(error: unknown, setting: string): undefined {
  if (!(error instanceof ConfigurationError && error.setting === setting)) throw error;
}

/** Listens and lets go again; the port that was free, which for 0 is the one the system chose. */
async function probe(setting: string, host: string, port: number): Promise<number> {
  const server = createServer();
  const free = await listen(server, { host, port, setting });
  await new Promise((resolve) => server.close(resolve));
  return free;
}
