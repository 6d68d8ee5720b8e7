import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { beforeAll, expect, test } from 'vitest';
import { shippedPackages } from '../dependencies/shipped.ts';
import { packageFiles } from '../program/write-package.ts';
import { agentPackage, bundleAgent } from './package-agent.ts';

let bundled: Awaited<ReturnType<typeof bundleAgent>>;
let tree: Awaited<ReturnType<typeof packageFiles>>;

beforeAll(async () => {
  bundled = await bundleAgent();
  const runtime = { program: Buffer.from('one'), licence: 'Node.js is licensed for use' };
  tree = await packageFiles(agentPackage, runtime, { architecture: 'arm64', version: '1.0.0', time: 0 });
});

test('runs the bundled agent without any other files', async () => {
  const folder = await temporaryFolder();
  for (const { path, content } of bundled) await writeFile(join(folder, basename(path)), content);
  const options = { input: '1000,a,1\n1200,b,1\n1400,a,0\n1600,b,0\n', encoding: 'utf8' } as const;
  const detect = spawnSync(process.execPath, [join(folder, 'agent.mjs'), 'detect'], options);
  expect(detect.stdout).toBe('{"at":1600,"direction":"in"}\n');
  const run = spawnSync(
    process.execPath,
    [join(folder, 'agent.mjs'), 'run', '--config', '/nothing'],
    options,
  );
  expect(run.stderr).toContain('--config');
  expect(run.status).toBe(2);
});

test('includes the licence text of Node, of the bundler and of every package that the agent needs', async () => {
  const packages = await shippedPackages(['agent']);
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['mqtt', 'yaml', 'typebox', 'commander', 'pino']));
  expect(names.filter((name) => name.startsWith('@visitor-counter/'))).toEqual([]);

  const copyright = String(
    tree.find(({ path }) => path === '/usr/share/doc/counter-agent/copyright')?.content,
  );
  expect(copyright).toContain('Node.js is licensed for use');
  expect(copyright).toMatch(/^rolldown .* \(MIT\)$/m);
  for (const { name, version, text } of packages) {
    expect(text).toMatch(/copyright|permission|license/i);
    expect(copyright).toContain(`\n${name} ${version} (`);
    expect(copyright).toContain(text);
  }
});

test('puts the launcher last, and lets it start files that no other build replaces', async () => {
  const runtime = { program: Buffer.from('one'), licence: '' };
  const build = { architecture: 'arm64', version: '1.0.0', time: 1 } as const;
  const other = await packageFiles(agentPackage, runtime, build);
  const folders = [tree, other].map((files) => {
    const launcher = files.find(({ path }) => path === '/usr/bin/counter-agent');
    expect(launcher?.isLast).toBe(true);
    const text = String(launcher?.content);
    const [, folder] = /^exec (\S+)\/node .* \1\/agent\.mjs "\$@"$/m.exec(text) ?? [];
    const paths = files.map(({ path }) => path);
    expect(paths).toContain(`${folder}/node`);
    expect(paths).toContain(`${folder}/agent.mjs`);
    expect(paths.filter((path) => path.startsWith('/usr/lib/counter-agent/'))).toSatisfy(
      (program: string[]) => program.every((path) => path.startsWith(`${folder}/`)),
    );
    return folder;
  });
  expect(folders[0]).not.toBe(folders[1]);
});

test('has the version in its control file and its changelog, and only scripts and the program are executable', async () => {
  const texts = new Map(tree.map(({ path, content }) => [path, content]));
  expect(texts.get('/DEBIAN/control')).toMatch(
    /^Package: counter-agent\nVersion: 1\.0\.0\nArchitecture: arm64\n/,
  );
  const changelog = gunzipSync(texts.get('/usr/share/doc/counter-agent/changelog.gz') ?? '').toString();
  expect(changelog).toMatch(/^counter-agent \(1\.0\.0\) .* Thu, 01 Jan 1970 00:00:00 \+0000\n$/s);
  const executable = tree
    .filter(({ mode }) => mode === 0o755)
    .map(({ path }) => path.replace(/[0-9a-f]{12}/, '*'));
  expect(executable.sort()).toEqual([
    '/DEBIAN/postinst',
    '/DEBIAN/postrm',
    '/DEBIAN/prerm',
    '/usr/bin/counter-agent',
    '/usr/lib/counter-agent/*/node',
    '/usr/libexec/counter-update',
  ]);
});
