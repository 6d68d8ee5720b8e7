import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Certificate } from './certificates.ts';
import { freePort } from './free-ports.ts';

/** A Mosquitto with the configuration of docs/mosquitto, on a port and a folder of its own. */
export interface Mosquitto {
  readonly port: number;
  output(): string;
  /** Kills it, as a power cut would. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Removes its stored messages and sessions; call it while the broker does not run. */
  forget(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };

/**
 * The files of a broker with TLS: its own certificate, and the authority of the client certificates that it
 * requires.
 */
export interface MosquittoTls {
  readonly server: Certificate;
  readonly clientCa: string;
}

/** Starts a broker with these users and passwords, and with TLS only if `tls` is set. */
export async function startMosquitto(
  users: Readonly<Record<string, string>>,
  tls?: MosquittoTls,
): Promise<Mosquitto> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-mosquitto-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const config = await writeFiles(folder, data, port, users, tls);
  let output = '';
  let child: ChildProcess | undefined;
  const mosquitto: Mosquitto = {
    port,
    output: () => output,
    start: async () => {
      child = spawn('mosquitto', ['-c', config], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const collect = (chunk: Buffer) => {
        output = (output + chunk).slice(-20_000);
      };
      child.stdout?.on('data', collect);
      child.stderr?.on('data', collect);
      await listening(port, child, () => output);
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
    forget: async () => {
      await rm(data, { recursive: true, force: true });
      await makeData(data);
    },
    close: async () => {
      await mosquitto.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await mosquitto.start();
  return mosquitto;
}

async function writeFiles(
  folder: string,
  data: string,
  port: number,
  users: Readonly<Record<string, string>>,
  tls: MosquittoTls | undefined,
): Promise<string> {
  const sample = new URL('../../docs/mosquitto/', import.meta.url);
  const files = {
    passwords: join(folder, 'passwd'),
    rights: join(folder, 'acl'),
    config: join(folder, 'conf'),
  };
  await makeData(data);
  await writeFile(files.passwords, '');
  for (const [user, password] of Object.entries(users)) {
    execFileSync('mosquitto_passwd', ['-b', files.passwords, user, password], { env, stdio: 'ignore' });
  }
  await writeFile(files.rights, await readFile(new URL('visitor-counter.acl', sample)));
  const text = (await readFile(new URL('mosquitto.conf', sample), 'utf8'))
    .replace('listener 1883 127.0.0.1', `listener ${port} 127.0.0.1${await tlsLines(folder, tls)}`)
    .replace('/etc/mosquitto/visitor-counter.passwd', files.passwords)
    .replace('/etc/mosquitto/visitor-counter.acl', files.rights)
    .replace('/var/lib/mosquitto/', `${data}/`);
  await writeFile(files.config, text);
  /* When started as root, it drops its privileges and reads its files as another user. */
  await chmod(folder, 0o755);
  for (const file of Object.values(files)) await chmod(file, 0o644);
  return files.config;
}

/** A setting of the listener above it. */
async function tlsLines(folder: string, tls: MosquittoTls | undefined): Promise<string> {
  if (tls === undefined) return '';
  const files = { certfile: tls.server.cert, keyfile: tls.server.key, cafile: tls.clientCa };
  const lines = Object.entries(files).map(async ([setting, content]) => {
    const file = join(folder, setting);
    await writeFile(file, content, { mode: 0o644 });
    return `\n${setting} ${file}`;
  });
  return [...(await Promise.all(lines)), '\nrequire_certificate true'].join('');
}

async function makeData(data: string): Promise<void> {
  await mkdir(data, { recursive: true });
  await chmod(data, 0o777);
}

async function listening(port: number, child: ChildProcess, output: () => string): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      delay(1_000, false),
    ]);
    socket.destroy();
    if (isUp) return;
    await delay(20);
  }
  throw new Error(`mosquitto ended (${child.exitCode}): ${output()}`);
}
