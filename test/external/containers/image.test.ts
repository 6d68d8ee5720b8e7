import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freeServerPorts } from '@visitor-counter/test/free-ports';
import { testDatabase } from '@visitor-counter/test/test-database';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readCompose, root, serviceOf } from './compose-file.ts';

const run = promisify(execFile);

const store = '/etc/ssl/certs/ca-certificates.crt';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-image-'));
  /* The certificates are those of this machine, whose registry may have a CA of its own. */
  const certificates = `ENV NODE_EXTRA_CA_CERTS=${store}`;
  await podman('import', '--change', certificates, await debianWithNode(), 'localhost/base');
  /* Of the last commit, as in a release. */
  const context = join(folder, 'visitor-counter');
  await run('sh', ['-c', `git archive --prefix=visitor-counter/ HEAD | tar -x -C ${folder}`], { cwd: root });
  const options = ['--build-arg', 'NODE=localhost/base', '--isolation', 'chroot', '--network', 'host'];
  await podman('build', ...options, '--tag', image, context);
});
afterAll(async () => {
  await podman('rm', '--all', '--force', '--time', '1');
  await rm(folder, { recursive: true });
});

/**
 * What the base image has that the Dockerfile needs, without its registry: Debian 13, with the Node and npm of this machine in
 * /usr/local. Returns an archive of tar.
 */
async function debianWithNode(): Promise<string> {
  const [base, archive] = [join(folder, 'base'), join(folder, 'base.tar')];
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates,libstdc++6', 'trixie', base]);
  await cp(process.execPath, join(base, 'usr/local/bin/node'));
  await cp(store, join(base, store));
  const { stdout } = await run('npm', ['root', '--global']);
  await cp(join(stdout.trim(), 'npm'), join(base, 'usr/local/lib/node_modules/npm'), {
    recursive: true,
    dereference: true,
  });
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(base, 'usr/local/bin', name));
  await run('tar', ['--create', '--directory', base, '--file', archive, '.']);
  return archive;
}

/** With its images and containers in a folder of this test. */
async function podman(...args: string[]): Promise<string> {
  const storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run')];
  const options = ['--storage-driver', 'vfs', '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];
  return (await run('podman', [...storage, ...options, ...args], { maxBuffer: 2 ** 26 })).stdout;
}

const compose = readCompose({ DOMAIN: 'counter.example' });
const { image } = serviceOf(compose, 'server');

/** As docker-compose.yml restricts it, in the network of this machine. */
const restrictions = [
  '--read-only',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--network=host',
  '--tmpfs=/tmp',
  '--ulimit=nofile=1024:1024',
  '--ulimit=nproc=1000:1000',
];

/** Runs Node in a container, such as with `-e` and a program. */
function node(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const variables = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
  return podman('run', '--rm', ...restrictions, ...variables, '--entrypoint=node', image, ...args);
}

test('its programs are not root, have no capability, and cannot write outside /tmp', async () => {
  const program = `
    const { readFileSync, writeFileSync } = require('node:fs');
    const status = readFileSync('/proc/self/status', 'utf8');
    const codes = ['/app/x', '/x', '/tmp/x'].map((path) => {
      try { writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; }
    });
    const rights = ['CapEff', 'CapBnd', 'NoNewPrivs'].map((name) => RegExp(name + ':\\\\s*(.*)').exec(status)[1]);
    console.log(JSON.stringify({ user: process.getuid(), rights, codes }));`;
  expect(JSON.parse(await node({}, '-e', program))).toEqual({
    user: 1000,
    rights: ['0000000000000000', '0000000000000000', '1'],
    codes: ['EROFS', 'EROFS', 'written'],
  });
});

test('serves with DATABASE_URL, is healthy as Compose sees it, and has the command of the operator', async () => {
  const ports = await freeServerPorts();
  const env = { DATABASE_URL: await testDatabase(), ...ports };
  const variables = Object.entries({ ...env, MQTT_ALLOW_PLAINTEXT: 'true' }).map(
    ([name, value]) => `--env=${name}=${value}`,
  );
  const id = await podman('run', '--detach', ...restrictions, ...variables, image);
  onTestFinished(async () => void (await podman('rm', '--force', '--time', '30', id.trim())));
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${ports.HTTP_PORT}${path}`)).status;
  await expect.poll(() => get('/health').catch(String), { timeout: 100_000 }).toBe(200);
  for (const path of ['/', '/reference', '/openapi.json', '/public/Service.asmx?WSDL'])
    expect([path, await get(path)]).toEqual([path, 200]);

  const check = serviceOf(compose, 'server').healthcheck?.test.slice(1) ?? [];
  const local = check.map((part) => part.replace('9465', ports.METRICS_PORT));
  await podman('exec', id.trim(), ...local);

  const [, ...admin] = serviceOf(compose, 'admin').entrypoint ?? [];
  expect(await node(env, ...admin, 'company', 'set', 'Acme')).toContain('Acme');
  expect(await podman('exec', id.trim(), 'visitor-counter', 'store', 'list', '--json')).toBe('[]\n');
  const findings = await podman('exec', id.trim(), 'visitor-counter', 'doctor').catch(({ stdout }) => stdout);
  expect(findings).toContain('Make one: docker compose exec');
  expect(findings).not.toContain('pnpm');
});
