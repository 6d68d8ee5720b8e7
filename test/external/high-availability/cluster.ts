import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverUser } from '@visitor-counter/database/embedded/data-folder';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { runAdmin } from '@visitor-counter/test/admin';
import { freePorts } from '@visitor-counter/test/free-ports';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, vi } from 'vitest';
import { Machine } from './machine.ts';
import { expectWhole, primaryOf } from './members.ts';
import { killProgram, type Place, startProgram } from './owned-process.ts';
import { completed } from './samples.ts';

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

const patience = { timeout: 90_000, interval: 250 };

/** Three machines with PostgreSQL, and HAProxy, with the files of docs/high-availability. */
export async function startCluster() {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const user = await serverUser('');
  const [second, third] = randomBytes(2);
  const addressOf = (number: number) => `127.${1 + ((second ?? 0) % 250)}.${third}.${10 + number}`;
  const numbers = [1, 2, 3];
  const addresses = Object.fromEntries(numbers.map((number) => [`ADDRESS_${number}`, addressOf(number)]));
  const secret = randomBytes(12).toString('hex');
  const passwords = { SUPERUSER_PASSWORD: secret, REPLICATION_PASSWORD: randomBytes(12).toString('hex') };
  const machines = numbers.map((number) => {
    const name = `counter-${number}`;
    const place = { folder: join(folder, name), user };
    return new Machine({ ...place, name, address: addressOf(number), addresses, passwords });
  });
  onTestFinished(async () => void (await Promise.all(machines.map((machine) => machine.end()))));
  await Promise.all(machines.map((machine) => machine.start()));
  const whole = () => vi.waitFor(() => expectWhole(machines), patience);
  await whole();
  const ports = await startHaproxy({ folder, user }, addresses);
  await vi.waitFor(() => expectPrimaryOnly(urlOf(ports.database, secret), numbers.length), patience);
  return {
    /** The three addresses, by the texts in the samples that they replace. */
    addresses,
    /** Where HAProxy listens. */
    ports,
    /** Resolves when all three machines have a PostgreSQL, and both standbys are in step with the primary. */
    whole,
    /** The machine with the primary; rejects if there is none. */
    primary: () => primaryOf(machines),
    /** Creates the database and its roles; the URL of the role that serves. */
    setUpDatabase: () => setUpDatabase(folder, secret, ports.database),
  };
}

/**
 * HAProxy distributes connections to all machines in turn until its first checks have failed, and then ends those to
 * standbys. Fails unless as many connections as there are machines reach a primary.
 */
async function expectPrimaryOnly(url: string, machines: number): Promise<void> {
  for (let count = 0; count < machines; count += 1) {
    const { rows } = await withClient(url, (client) => client.query('select pg_is_in_recovery() as standby'));
    expect(rows).toEqual([{ standby: false }]);
  }
}

async function startHaproxy({ folder, user }: Place, addresses: Readonly<Record<string, string>>) {
  const [database = 0, units = 0, api = 0] = await freePorts(3);
  const text = await completed('haproxy.cfg', {
    ...addresses,
    'bind 127.0.0.1:5000': `bind 127.0.0.1:${database}`,
    'bind :8883': `bind 127.0.0.1:${units}`,
    /* Callers of this test speak HTTP. */
    'bind :443 ssl crt /etc/haproxy/visitor-counter.pem alpn h2,http/1.1': `bind 127.0.0.1:${api}`,
  });
  const place = { folder: join(folder, 'haproxy'), user };
  await mkdir(place.folder);
  await writeFile(join(place.folder, 'debian.cfg'), 'global\n\tlog stderr local0\n');
  await writeFile(join(place.folder, 'haproxy.cfg'), text);
  const child = startProgram(place, 'haproxy', ['-db', '-f', 'debian.cfg', '-f', 'haproxy.cfg']);
  onTestFinished(() => killProgram(child));
  return { database, units, api };
}

function urlOf(port: number, password: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

async function setUpDatabase(folder: string, password: string, port: number): Promise<string> {
  const out = join(folder, 'urls');
  await runAdmin(['database', 'setup', '--out', out], {
    DATABASE_ADMIN_URL: urlOf(port, password),
  });
  return (await readFile(join(out, 'serve.url'), 'utf8')).trim();
}
