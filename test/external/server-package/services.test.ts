import { mkdtemp, rm } from 'node:fs/promises';
import { packageServer } from '@visitor-counter/packaging/server/package-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Machine, machineWithPostgres } from './machine.ts';

let folder: string;
let deb: string;

beforeAll(async () => {
  /* systemd empties /tmp when it starts. */
  folder = await mkdtemp('/var/tmp/counter-services-');
  ({ path: deb } = await packageServer({ architecture: 'amd64', out: folder }));
}, 600_000);
afterAll(() => rm(folder, { recursive: true }));

async function installed(first?: 'systemd'): Promise<Machine> {
  const machine = await machineWithPostgres(first);
  await machine.sh(`dpkg -i ${deb}`);
  return machine;
}

/* Someone who controls processes of the service's user must not become root, or the superuser of the database. */

/** The state of the Node program with these arguments, when it has loaded and waits. */
async function running({ sh }: Machine, pattern: string): Promise<{ pid: string; status: string }> {
  /* The brackets keep the shell of this command out. */
  const find = `pid=$(pgrep -nf 'node .*${pattern.replace('.', '[.]')}') && echo $pid && cat /proc/$pid/status || true`;
  await expect.poll(() => sh(find)).toContain('State:\tS');
  const [pid = '', ...status] = (await sh(find)).split('\n');
  return { pid, status: status.join('\n') };
}

/** Whether a program handles SIGUSR1, on which Node opens a debugger without authentication. */
function opensDebugger(status: string): boolean {
  const [, caught = ''] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return (BigInt(`0x${caught}`) & (1n << 9n)) !== 0n;
}

const asService = 'setpriv --reuid=visitor-counter --regid=visitor-counter --clear-groups';

test('the service cannot signal a command of the operator, and no program opens a debugger', async () => {
  const machine = await installed();
  await machine.sh('mkfifo /run/input');
  machine.start('exec sleep infinity >/run/input');
  machine.start('exec visitor-counter apply - </run/input');
  const command = await running(machine, 'admin.mjs apply');
  expect(opensDebugger(command.status)).toBe(false);
  await expect(machine.sh(`${asService} kill -USR1 ${command.pid}`)).rejects.toThrow('not permitted');

  const settings = 'set -a; . /etc/visitor-counter/server.env; exec';
  machine.start(
    `${settings} ${asService.replace('--clear-groups', '--init-groups')} /usr/lib/visitor-counter/server`,
  );
  const server = await running(machine, 'server.mjs');
  expect(opensDebugger(server.status)).toBe(false);
});

test('commands that run as the service or as PostgreSQL have no rights of root, and no terminal', async () => {
  const machine = await installed();
  const { sh, start } = machine;
  /* Both wait for this transaction. */
  const lock =
    'begin; lock table company, installation, kysely_migration in access exclusive mode; select pg_sleep(3600)';
  start(`exec setpriv --reuid=postgres --clear-groups psql visitor_counter -c '${lock}'`);
  const locks = `setpriv --reuid=postgres --clear-groups psql postgres -Atc "select count(*) from pg_locks where mode = 'AccessExclusiveLock'"`;
  await expect.poll(async () => Number(await sh(locks))).toBeGreaterThanOrEqual(3);
  /* A terminal for the commands: script(1) makes one. */
  start('exec script -qc "visitor-counter backup" /dev/null');
  start('exec script -qc /usr/lib/visitor-counter/setup-database /dev/null');
  for (const pattern of ['admin.mjs backup', 'admin.mjs database setup']) {
    const { pid, status } = await running(machine, pattern);
    expect(status).toMatch(/^Uid:\t[1-9]/m);
    expect(status).toMatch(/^CapPrm:\t0{16}$/m);
    expect(status).toMatch(/^CapAmb:\t0{16}$/m);
    expect(opensDebugger(status)).toBe(false);
    const [, terminal] = /\) (?:\S+ ){4}(-?\d+)/.exec(await sh(`cat /proc/${pid}/stat`)) ?? [];
    expect([pattern, terminal]).toEqual([pattern, '0']);
  }
});

test('root follows no link that the service has made', async () => {
  const { sh } = await installed();
  const changed = async () => [
    await sh('stat -c "%U %a" /etc'),
    await sh("find /etc -user visitor-counter -o -name 'visitor-counter-*.tar*'"),
  ];
  const before = await changed();
  await sh(`rm -rf /var/lib/visitor-counter/* && ${asService} ln -s /etc /var/lib/visitor-counter/backups`);
  await sh(`dpkg -i ${deb}`);
  expect(await changed()).toEqual(before);
  await expect(sh('visitor-counter backup')).rejects.toThrow('EACCES');
  await sh('dpkg --remove visitor-counter');
  expect(await changed()).toEqual(before);
});

const settings = '/etc/visitor-counter/server.env';

test('systemd starts, watches and limits the server, and a restart fails with a setting that cannot be used', async () => {
  const { sh } = await installed('systemd');
  const show = (name: string) => sh(`systemctl show --property ${name} --value visitor-counter`);
  expect(await show('ActiveState')).toBe('active\n');
  expect(await sh('curl --silent http://127.0.0.1:8080/health')).toContain('"ok"');
  expect([await show('WatchdogUSec'), await show('MemoryMax')]).toEqual(['2min\n', '1073741824\n']);

  await sh(`echo HTTP_PORT=80a0 >>${settings}`);
  await expect(sh('systemctl restart visitor-counter')).rejects.toThrow('visitor-counter.service');
  expect(await show('ExecMainStatus')).toBe('2\n');

  /* The service waits for its database without limit, and the command does not wait with it. */
  await sh(`sed -i /^HTTP_PORT/d ${settings} && pg_ctlcluster 15 counter stop`);
  await sh('systemctl restart visitor-counter');
  expect(await show('ActiveState')).toBe('active\n');
});

test('a backup that fails is reported to root, and one that works is in the folder of the service', async () => {
  const { sh } = await installed('systemd');
  await sh(`printf '#!/bin/sh\\ncat >/run/mail\\n' >/usr/sbin/sendmail && chmod 755 /usr/sbin/sendmail`);
  await sh('systemctl start visitor-counter-backup');
  expect(await sh('stat -c %U:%a /var/lib/visitor-counter/backups')).toBe('visitor-counter:700\n');

  await sh('pg_ctlcluster 15 counter stop');
  await expect(sh('systemctl start visitor-counter-backup')).rejects.toThrow(
    'visitor-counter-backup.service',
  );
  await expect
    .poll(() => sh('cat /run/mail || true'))
    .toMatch(/^To: root\nSubject: the backup .* failed on .*\n\n.*database/s);
  expect(await sh('journalctl --priority crit --output cat')).toContain(
    'the backup of the visitor counter failed',
  );
});
