import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@visitor-counter/test/free-ports';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished } from 'vitest';

const run = promisify(execFile);

/** Where the programs of Debian's package are unpacked; a later run finds them there. */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/debian-prometheus');

/** How long the download may take (ms); the package has 20 MB. */
const downloadDeadline = 120_000;

/** The path of `prometheus` or `promtool`, from Debian's package, which is unpacked and not installed. */
export async function prometheusProgram(name: 'prometheus' | 'promtool'): Promise<string> {
  const program = join(folder, 'usr/bin', name);
  if (!existsSync(program)) await unpackPackage();
  return program;
}

async function unpackPackage(): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const download = await mkdtemp(join(dirname(folder), 'download-'));
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: download, timeout: downloadDeadline });
    const [file = ''] = await readdir(download);
    await run('dpkg-deb', ['--extract', join(download, file), join(download, 'unpacked')]);
    await rename(join(download, 'unpacked'), folder);
  } finally {
    await rm(download, { recursive: true });
  }
}

/** Runs promtool in a folder; rejects with what it prints if it finds a mistake. */
export async function promtool(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(await prometheusProgram('promtool'), [...args], { cwd });
  return stdout;
}

/** The parts of the answers of Prometheus that tests use. */
export interface Answers {
  readonly targets: { readonly activeTargets: readonly { readonly health: string }[] };
  readonly rules: {
    readonly groups: readonly {
      readonly rules: readonly { readonly name: string; readonly health: string; readonly state: string }[];
    }[];
  };
  readonly query: { readonly result: readonly unknown[] };
  readonly query_range: Answers['query'];
}

export interface RunningPrometheus {
  /** The data of an answer of its interface; throws if the answer is an error. */
  get<Path extends keyof Answers>(path: Path, parameters?: Record<string, string>): Promise<Answers[Path]>;
}

/** Runs Prometheus with a configuration until the end of the test. */
export async function startPrometheus(configuration: string): Promise<RunningPrometheus> {
  const storage = await temporaryFolder();
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    await prometheusProgram('prometheus'),
    [`--config.file=${configuration}`, `--storage.tsdb.path=${storage}`, `--web.listen-address=${address}`],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 100_000 }).toBe(true);
  return {
    get: async (path, parameters = {}) => {
      const answer = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`);
      const body = JSON.parse(await answer.text());
      if (!answer.ok) throw new Error(`${JSON.stringify(parameters)}: ${body.error}`);
      return body.data;
    },
  };
}
