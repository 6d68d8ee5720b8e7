import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runAdmin } from '@visitor-counter/test/admin';
import { freePorts } from '@visitor-counter/test/free-ports';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { dropDatabase } from '@visitor-counter/test/test-database';
import { inject, onTestFinished, vi } from 'vitest';
import { readCompose, root, serviceOf } from './compose-file.ts';

export type Stack = Awaited<ReturnType<typeof startStack>>;

const domain = 'localhost';

type Ports = Awaited<ReturnType<typeof portsOfStack>>;

async function portsOfStack() {
  const [http = 0, https = 0, api = 0, mqtts = 0] = await freePorts(4);
  return { http, https, api, mqtts };
}

/**
 * The services of docker-compose.yml, as processes on this machine with the same settings: Caddy, with a CA of its own instead
 * of a public one, and the server when Caddy is healthy. Different from the
 * containers are only the folder of the volume, the ports, the addresses and the server of the database.
 */
export async function startStack() {
  const folder = await temporaryFolder();
  const database = await makeSecrets(folder);
  const ports = await portsOfStack();
  const settings = settingsOf(folder, ports);
  await runAdmin([...settings.setup.command, '--database', database], settings.setup.environment);
  const caddy = new Caddy(settings.caddy, settings.certFile);
  onTestFinished(() => caddy.stop());
  await caddy.start();
  const process = await startService('serve', [], settings.server);
  onTestFinished(() => process.kill());
  return {
    folder,
    process,
    certFile: settings.certFile,
    mqttsPort: ports.mqtts,
    /** Where units enrol, and browsers go. */
    server: `https://${domain}:${ports.https}`,
    /** The same without TLS. */
    plain: `http://${domain}:${ports.http}`,
    /** The CA of Caddy. */
    caFile: join(folder, 'pki/authorities/local/root.crt'),
    /** Runs the operator's command line. */
    admin: (args: readonly string[], input?: string) => runAdmin(args, settings.admin, input),
    /** Ends Caddy and starts it again; `between` runs meanwhile. */
    restartCaddy: async (between: () => Promise<void>) => {
      await caddy.stop();
      await between();
      await caddy.start();
    },
  };
}

/**
 * The secrets, as the operator makes them, for a database of the test's own on the server of the test run. Returns its name,
 * which the container does not need.
 */
async function makeSecrets(folder: string): Promise<string> {
  execFileSync('sh', [join(root, 'packages/packaging/containers/make-secrets.sh')], { cwd: folder });
  const server = inject('databaseServer');
  const name = `containers_${randomBytes(6).toString('hex')}`;
  const replace = async (secret: string, text: string) => {
    await rm(join(folder, 'secrets', secret));
    await writeFile(join(folder, 'secrets', secret), text);
  };
  const made = await readFile(join(folder, 'secrets/database_url'), 'utf8');
  const url = new URL(made.replaceAll('visitor_counter', name));
  url.host = new URL(server).host;
  await replace('database_admin_url', server);
  await replace('database_url', url.href);
  onTestFinished(() => dropDatabase(name));
  return name;
}

/** The environments of the services, with what is different without containers. */
function settingsOf(folder: string, ports: Ports) {
  const compose = readCompose({ DOMAIN: domain, ACME_FOLDER: 'local' });
  const onThisMachine = (value: string) =>
    value
      .replace(/^\/caddy\//, `${folder}/`)
      .replace(/\/run\/secrets\b/, `${folder}/secrets`)
      .replace(/:8883$/, `:${ports.mqtts}`);
  const environmentOf = (name: string): Record<string, string> => {
    const entries = Object.entries(serviceOf(compose, name).environment ?? {});
    return Object.fromEntries(entries.map(([key, value]) => [key, onThisMachine(value)]));
  };
  const server = environmentOf('server');
  return {
    certFile: server['MQTT_TLS_CERT'] ?? '',
    caddy: {
      ...environmentOf('caddy'),
      TLS_ISSUER: 'internal',
      CADDY_STORAGE: folder,
      XDG_CONFIG_HOME: folder,
      HOME: folder,
      CADDY_HTTP_PORT: `${ports.http}`,
      CADDY_HTTPS_PORT: `${ports.https}`,
      SERVER: `127.0.0.1:${ports.api}`,
    },
    server: {
      ...server,
      TRUSTED_PROXIES: 'loopback',
      HTTP_PORT: `${ports.api}`,
      MQTTS_PORT: `${ports.mqtts}`,
      METRICS_PORT: '0',
    },
    admin: environmentOf('admin'),
    setup: {
      command: serviceOf(compose, 'setup').command?.map(onThisMachine) ?? [],
      environment: environmentOf('setup'),
    },
  };
}

/** Caddy with the configuration of the container. */
class Caddy {
  readonly #env: Readonly<Record<string, string>>;
  readonly #certFile: string;
  #child: ChildProcess | undefined;
  #output = '';

  constructor(env: Readonly<Record<string, string>>, certFile: string) {
    this.#env = env;
    this.#certFile = certFile;
  }

  /** Resolves when Caddy has a certificate: then the container is healthy. */
  async start(): Promise<void> {
    const config = join(root, 'packages/packaging/containers/Caddyfile');
    const child = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
      env: { PATH: process.env['PATH'], ...this.#env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => {
      this.#output = (this.#output + chunk).slice(-20_000);
    });
    await vi.waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`caddy ended: ${this.#output}`);
        await access(this.#certFile);
      },
      { timeout: 100_000, interval: 100 },
    );
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'close');
  }
}
