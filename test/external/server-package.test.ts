import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageServer } from '@visitor-counter/packaging/server/package-server';
import { freeServerPorts } from '@visitor-counter/test/free-ports';
import { testDatabase } from '@visitor-counter/test/test-database';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { machineWithPostgres, startMachine } from './server-package/machine.ts';

const run = promisify(execFile);

let folder: string;
let deb: string;
/** The folder with the packaged programs. */
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-server-package-'));
  ({ path: deb } = await packageServer({ architecture: 'amd64', out: folder }));
  const root = join(folder, 'root');
  await run('dpkg-deb', ['--extract', deb, root]);
  const names = await readdir(join(root, 'usr/lib/visitor-counter'));
  program = join(root, 'usr/lib/visitor-counter', names.find((name) => /^[0-9a-f]{12}$/.test(name)) ?? '');
}, 600_000);
afterAll(() => rm(folder, { recursive: true }));

test('dpkg reads the package, and has no question about any file of it', async () => {
  const { stdout: info } = await run('dpkg-deb', ['--info', deb]);
  expect(info).toMatch(/Package: visitor-counter\n Version: \d+\.\d+\.\d+\n Architecture: amd64\n/);
  expect(info).not.toContain('conffiles');
  const { stdout: contents } = await run('dpkg-deb', ['--contents', deb]);
  for (const path of [
    '/usr/bin/visitor-counter',
    '/usr/lib/visitor-counter/setup-database',
    '/usr/lib/systemd/system/visitor-counter.service',
    '/usr/lib/systemd/system/visitor-counter-backup.service',
    '/usr/lib/systemd/system/visitor-counter-backup.timer',
    '/usr/lib/sysusers.d/visitor-counter.conf',
    '/usr/share/man/man1/visitor-counter.1.gz',
  ]) {
    expect(contents).toContain(` .${path}\n`);
  }
});

test('the packaged programs run without any other files, and serve every page', async () => {
  const ports = await freeServerPorts();
  const env = { DATABASE_URL: await testDatabase(), PAGE_DIR: join(program, 'page'), ...ports };
  const node = join(program, 'node');
  const server = spawn(node, [join(program, 'server.mjs')], { env, cwd: folder, stdio: 'ignore' });
  const ended = once(server, 'exit');
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  const base = `http://127.0.0.1:${ports.HTTP_PORT}`;
  const get = async (path: string) => (await fetch(`${base}${path}`)).status;
  await expect.poll(() => get('/health').catch(() => 0), { timeout: 100_000 }).toBe(200);
  const pages = ['/', '/reference', '/reference/start-reference.js', '/reference/swagger-ui-bundle.js'];
  const others = [
    '/reference/swagger-ui.css',
    '/openapi.json',
    '/public/Service.asmx',
    '/public/Service.asmx?WSDL',
  ];
  for (const path of [...pages, ...others]) expect([path, await get(path)]).toEqual([path, 200]);

  const admin = async (...args: string[]) => {
    const options = { env: { ...env, COUNTER_COMMAND: 'visitor-counter' }, cwd: folder };
    return (await run(node, [join(program, 'admin.mjs'), ...args], options)).stdout;
  };
  expect(await admin('--help')).toContain('Usage: visitor-counter');
  expect(await admin('device', 'list', '--json')).toBe('[]\n');
  await expect(admin('doctor')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^ok +service +all roles are ready/m),
  });
});

test.each(['visitor-counter', 'visitor-counter-backup'])('%s.service is hardened', async (name) => {
  const unit = join(folder, `root/usr/lib/systemd/system/${name}.service`);
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit]);
  const [, level] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
  expect(Number(level)).toBeLessThanOrEqual(2);
});

test('lintian finds nothing in the package', async () => {
  const lintian = run('lintian', ['--allow-root', '--fail-on', 'error,warning', deb]);
  await expect(lintian).resolves.toMatchObject({ stdout: '' });
});

const urls = '/etc/visitor-counter/database';
const server =
  'set -a; . /etc/visitor-counter/server.env; exec setpriv --reuid=visitor-counter --regid=visitor-counter ' +
  '--init-groups --inh-caps=-all --bounding-set=-all -- /usr/lib/visitor-counter/server';

test('an installed server can read and write rows, and nothing else; its operator can do everything', async () => {
  const { sh, start } = await machineWithPostgres();
  await sh(`dpkg -i ${deb}`);
  expect(await sh(`stat -c '%a %U:%G %n' /etc/visitor-counter/server.env ${urls} ${urls}/*`)).toBe(
    [
      '640 root:visitor-counter /etc/visitor-counter/server.env',
      `750 root:visitor-counter ${urls}`,
      `600 root:root ${urls}/migrate.url`,
      `600 root:root ${urls}/read.url`,
      `640 root:visitor-counter ${urls}/serve.url`,
      '',
    ].join('\n'),
  );
  const asServer = (command: string) => sh(`setpriv --reuid=visitor-counter --clear-groups ${command}`);
  await expect(asServer(`cat ${urls}/migrate.url`)).rejects.toThrow('Permission denied');
  const psql = (sql: string) => sh(`psql "$(cat ${urls}/serve.url)" -Atc "${sql}"`);
  expect(await psql('select count(*) from company')).toBe('0\n');
  await expect(psql('create table other (id integer)')).rejects.toThrow(
    'permission denied for schema public',
  );
  await expect(psql('delete from audit_entry')).rejects.toThrow('audit_entry is append-only');

  await sh('visitor-counter company set Acme');
  await sh('visitor-counter backup --to /var/lib/visitor-counter/backups');
  await sh('visitor-counter company set Other');
  const restore = () => sh('visitor-counter restore /var/lib/visitor-counter/backups/*.dump');
  await restore();
  expect(await psql('select name from company')).toBe('Acme\n');
  start(server);
  const health = () => sh('curl --silent --show-error http://127.0.0.1:8080/health').catch(String);
  await expect.poll(health).toContain('"ok"');
  await expect(restore()).rejects.toThrow('stop the services first');
  const findings = await sh('visitor-counter doctor || true');
  expect(findings).toMatch(/^ok +schema +up to date/m);
  expect(findings).toMatch(/^\S+ +disk +\/srv\/db\/15 has /m);
  await expect.poll(health).toContain('"ok"');
});

test('an upgrade keeps the passwords; after a purge the database gets new ones, with all its rows', async () => {
  const { sh } = await machineWithPostgres();
  await sh(`dpkg -i ${deb} && visitor-counter company set Acme`);
  const serve = await sh(`cat ${urls}/serve.url`);
  await sh(`dpkg -i ${deb}`);
  expect(await sh(`cat ${urls}/serve.url`)).toBe(serve);

  expect(await sh('dpkg --purge visitor-counter')).toContain('dropdb visitor_counter');
  await sh(`test ! -e ${urls} && dpkg -i ${deb}`);
  expect(await sh(`cat ${urls}/serve.url`)).not.toBe(serve);
  const companies = () => sh(`psql "$(cat ${urls}/serve.url)" -Atc 'select name from company'`);
  expect(await companies()).toBe('Acme\n');

  /* As after a setup with new passwords that was interrupted. */
  await sh(`rm ${urls}/serve.url && /usr/lib/visitor-counter/setup-database`);
  expect(await companies()).toBe('Acme\n');
});

test('a server that is too old for its database can still log in to it, and says so', async () => {
  const { sh } = await machineWithPostgres();
  await sh(`dpkg -i ${deb}`);
  const rights = () => sh(`stat -c '%a %U:%G %n' ${urls}/*`);
  const before = await rights();
  const later = `insert into kysely_migration values ('99990101T0000-later', '')`;
  await sh(`psql "$(cat ${urls}/migrate.url)" -c "${later}"`);
  await sh(`dpkg -i ${deb}`);
  expect(await rights()).toBe(before);
  await expect(sh(server)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Install the release'),
  });
});

test('an installation without PostgreSQL succeeds, and says what to do; the database is created later', async () => {
  const { sh } = await startMachine();
  expect(await sh(`dpkg -i ${deb}`)).toContain('sudo apt install postgresql');
  await expect(sh('visitor-counter doctor')).rejects.toMatchObject({
    stdout: expect.stringContaining('sudo /usr/lib/visitor-counter/setup-database'),
  });
  await sh('pg_createcluster --port 5432 --start 15 counter && /usr/lib/visitor-counter/setup-database');
  expect(await sh('visitor-counter company set Acme')).toContain('Acme');
});

test('an upgrade to other default settings asks nothing and keeps those of the administrator', async () => {
  const { sh } = await startMachine();
  await sh(`dpkg -i ${deb} && echo MQTT_HOST=:: >>/etc/visitor-counter/server.env`);
  const settings = await sh('cat /etc/visitor-counter/server.env');
  await sh(`cd /srv && dpkg-deb --raw-extract ${deb} next && rm ${'/srv/next/usr/lib/visitor-counter/*/node'}
    echo '# one more' >>$(find next -name server.env) && sed -i 's/^Version: .*/Version: 99.0.0/' next/DEBIAN/control
    dpkg-deb -Znone --build next next.deb`);
  await sh('dpkg -i /srv/next.deb </dev/null');
  expect(await sh('cat /etc/visitor-counter/server.env')).toBe(settings);
});
