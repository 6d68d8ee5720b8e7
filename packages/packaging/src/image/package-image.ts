import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import product from '../../../../package.json' with { type: 'json' };
import { type TreeFile, tarArchive } from '../deb/build-deb.ts';
import { commitTime } from '../program/commit.ts';
import { documents, safeNode } from '../program/program-tree.ts';
import { fetchRuntime, type RuntimeFiles } from '../program/runtimes.ts';
import { changelog, type PackageOptions } from '../program/write-package.ts';
import { bundleServer } from '../server/bundle-server.ts';
import { debianBase } from './debian-base.ts';
import { ociArchive } from './oci-archive.ts';

/** The user of the programs in the image. Caddy runs as the same one: it writes the certificate that the server reads. */
const user = 1_000;

/** How engines run the image by default. */
const imageConfig = {
  User: `${user}:${user}`,
  WorkingDir: '/app',
  Entrypoint: ['node', '/app/server.mjs'],
  Env: [
    'PATH=/usr/local/bin',
    'NODE_ENV=production',
    `NODE_OPTIONS=${safeNode.join(' ')}`,
    'PAGE_DIR=/app/page',
    'COUNTER_COMMAND=docker compose run --rm admin',
    ...['MQTT_HOST', 'HTTP_HOST', 'METRICS_HOST'].map((name) => `${name}=::`),
    'METRICS_PORT=9465',
  ],
  ExposedPorts: { '1883/tcp': {}, '8883/tcp': {}, '8080/tcp': {}, '9465/tcp': {} },
};

/**
 * Builds the image of the server with all roles and of the operator's command line, as an archive for `docker load`; returns
 * its path. No container engine is needed. The same commit gives the same bytes.
 */
export async function packageImage({
  architecture,
  out,
  version = product.version,
  onStep = () => {},
}: PackageOptions): Promise<string> {
  const time = await commitTime();
  onStep(`getting Node and its libraries for ${architecture}`);
  const runtime = await fetchRuntime(architecture);
  const { files } = await debianBase(architecture);
  onStep('bundling the program');
  const program = await programTree(runtime, changelog('visitor-counter', version, time));
  onStep('writing the image');
  const node = { path: '/usr/local/bin/node', content: runtime.program, mode: 0o755 };
  /* Releases share the lower layers, so the time of these layers is always 0. */
  const layers = [await tarArchive(files, 0), await tarArchive([node], 0), await tarArchive(program, time)];
  const name = `visitor-counter:${version}`;
  const config = { ...imageConfig, Labels: labels(version) };
  const archive = await ociArchive({ name, architecture, time, layers, config });
  await mkdir(out, { recursive: true });
  const path = join(out, `visitor-counter-image_${version}_${architecture}.tar`);
  await writeFile(path, archive);
  return path;
}

async function programTree(runtime: RuntimeFiles, changes: string): Promise<TreeFile[]> {
  const files = await bundleServer();
  return [
    ...files.map((file) => ({ ...file, path: `/app${file.path}` })),
    {
      path: '/usr/local/bin/visitor-counter',
      content: "#!/usr/local/bin/node\nimport('/app/admin.mjs');\n",
      mode: 0o755,
    },
    /* The mount point of Caddy's storage: a new volume gets the owner of this folder. */
    { path: '/caddy/', mode: 0o700, owner: user },
    ...(await documents('visitor-counter', runtime, ['server', 'admin', 'page'], changes)),
  ];
}

function labels(version: string): Record<string, string> {
  const prefix = 'org.opencontainers.image';
  return {
    [`${prefix}.title`]: 'visitor-counter',
    [`${prefix}.description`]: 'The server of the visitor counter, and its command line',
    [`${prefix}.version`]: version,
    [`${prefix}.licenses`]: 'MIT',
  };
}

const root = new URL('../../../../', import.meta.url);
const folder = 'packages/packaging/containers/';
const sources = [
  'docker-compose.yml',
  `${folder}Caddyfile`,
  `${folder}certificates-from-files.yml`,
  `${folder}make-secrets.sh`,
  'LICENSE',
];

interface ContainersArchiveOptions {
  /** The folder that the archive is written to. */
  readonly out: string;
  readonly version: string;
  /** The time of all files (epoch seconds). */
  readonly time: number;
}

/** Writes what an operator needs in addition to the image: the file for Compose, and those that it names, in one folder. */
export async function writeContainersArchive({
  out,
  version,
  time,
}: ContainersArchiveOptions): Promise<void> {
  const files = sources.map(async (source) => {
    const text = await readFile(new URL(source, root), 'utf8');
    return { path: `/visitor-counter/${basename(source)}`, content: text.replaceAll(folder, '') };
  });
  const archive = await tarArchive(await Promise.all(files), time);
  await writeFile(join(out, `visitor-counter-containers_${version}.tar.gz`), gzipSync(archive));
}
