import { execFileSync } from 'node:child_process';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { edgeLine } from './edge-line.ts';

/** A folder with programs in place of libgpiod's tools: a test determines their output. */
interface FakeGpiod {
  /** An environment in which they are found first. */
  readonly env: NodeJS.ProcessEnv;
  /** Sets the output of `gpioget`. */
  levels(text: string): Promise<void>;
  /** Adds to the output of the running `gpiomon`. */
  print(text: string): Promise<void>;
  /** From now on `gpiomon` ends immediately with this message; undefined: it runs. */
  failWith(stderr: string | undefined): Promise<void>;
  /** From now on `gpiomon` ends immediately after its banner. */
  endAfterBanner(): Promise<void>;
  /** Kills the running `gpiomon`. */
  kill(): Promise<void>;
  /** The process id of the `gpiomon` that runs, once one does. */
  pid(): Promise<number>;
  close(): Promise<void>;
}

/** The edges of a person who breaks one line and then the other, from `at` on; `breaks` is how a line shows that. */
export function passage(first: string, second: string, at: number, breaks: 1 | 2): string {
  const clears = breaks === 1 ? 2 : 1;
  return [
    edgeLine(first, breaks, at),
    edgeLine(second, breaks, at + 100),
    edgeLine(first, clears, at + 200),
    edgeLine(second, clears, at + 300),
  ].join('');
}

/** Makes the programs in an empty folder. */
export async function fakeGpiod(folder: string): Promise<FakeGpiod> {
  const edges = join(folder, 'edges');
  const program = (name: string, text: string) =>
    writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  execFileSync('mkfifo', [edges]);
  await writeFile(join(folder, 'levels'), '1 1\n');
  await program('gpioget', `cat '${folder}/levels'`);
  await program('gpioset', `echo "$*" >> '${folder}/light'; exec sleep 60`);
  await program(
    'gpiomon',
    `[ "$1" = --version ] && { echo 'gpiomon (libgpiod) v2.2.1'; exit; }
[ -f '${folder}/fails' ] && { cat '${folder}/fails' >&2; exit 1; }
echo $$ > '${folder}/pid'
echo 'Monitoring lines...'
[ -f '${folder}/ends' ] && exit 1
exec cat '${edges}'`,
  );
  /* Open for reading and writing: neither side waits for the other, and the reader sees no end between two writes. */
  const pipe = await open(edges, 'r+');
  const pid = () =>
    vi.waitFor(async () => {
      const text = await readFile(join(folder, 'pid'), 'utf8');
      if (!text.endsWith('\n')) throw new Error('gpiomon does not run yet');
      return Number(text);
    }, 300_000);
  return {
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
    levels: (text) => writeFile(join(folder, 'levels'), text),
    print: async (text) => {
      await pipe.write(text);
    },
    failWith: (stderr) =>
      stderr === undefined ? rm(join(folder, 'fails')) : writeFile(join(folder, 'fails'), stderr),
    endAfterBanner: () => writeFile(join(folder, 'ends'), ''),
    kill: async () => {
      process.kill(await pid(), 'SIGKILL');
      await rm(join(folder, 'pid'));
    },
    pid,
    close: () => pipe.close(),
  };
}
