import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageServer } from '@visitor-counter/packaging/server/package-server';
import { freeServerPorts } from '@visitor-counter/test/free-ports';
import { testDatabase } from '@visitor-counter/test/test-database';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);

let folder: string;
let deb: string;
/** The folder with the packaged programs. */
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-server-package-'));
  deb = await packageServer({ architecture: 'amd64', out: folder });
  const root = join(folder, 'root');
  await run('dpkg-deb', ['--extract', deb, root]);
  const names = await readdir(join(root, 'usr/lib/visitor-counter'));
  program = join(root, 'usr/lib/visitor-counter', names.find((name) => /^[0-9a-f]{12}$/.test(name)) ?? '');
});
afterAll(() => rm(folder, { recursive: true }));

test('dpkg reads the package, whose settings are a conffile that other users cannot read', async () => {
  const { stdout: info } = await run('dpkg-deb', ['--info', deb]);
  expect(info).toMatch(/Package: visitor-counter\n Version: \d+\.\d+\.\d+\n Architecture: amd64\n/);
  const { stdout: conffiles } = await run('dpkg-deb', ['--info', deb, 'conffiles']);
  expect(conffiles).toBe('/etc/visitor-counter/server.env\n');
  const { stdout: contents } = await run('dpkg-deb', ['--contents', deb]);
  expect(contents).toMatch(/^-rw-r----- root\/root .* \.\/etc\/visitor-counter\/server\.env$/m);
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
  await expect.poll(() => get('/health').catch(() => 0), { timeout: 60_000 }).toBe(200);
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

test('builds the same bytes from the same commit', async () => {
  const again = await packageServer({ architecture: 'amd64', out: join(folder, 'again') });
  expect((await readFile(deb)).equals(await readFile(again))).toBe(true);
});

test('lintian finds nothing in the package', async () => {
  const lintian = run('lintian', ['--allow-root', '--fail-on', 'error,warning', deb]);
  await expect(lintian).resolves.toMatchObject({ stdout: '' });
});
