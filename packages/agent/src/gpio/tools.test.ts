import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { textLines } from '../async/text-lines.ts';
import { monotonicMs } from '../clock/time.ts';
import { type LineEdge, parseEdge, readLevels, requireLibgpiod } from './libgpiod.ts';

/** The output of libgpiod 2.2.1 on Debian trixie while a person walked in. */
const recorded = `Monitoring lines 'GPIO17', and 'GPIO27'...
GPIO17 2 11.255477775
GPIO27 2 11.326054644
GPIO17 1 11.384300578
GPIO27 1 11.442791404
`;

const walk: LineEdge[] = [
  { line: 'GPIO17', high: false, at: monotonicMs(11_255) },
  { line: 'GPIO27', high: false, at: monotonicMs(11_326) },
  { line: 'GPIO17', high: true, at: monotonicMs(11_384) },
  { line: 'GPIO27', high: true, at: monotonicMs(11_442) },
];

test('reads recorded output however it is split', async () => {
  const bytes = Buffer.from(recorded);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      const seen: LineEdge[] = [];
      for await (const lines of textLines(from(pieces))) {
        seen.push(...lines.flatMap((line) => parseEdge(line) ?? []));
      }
      expect(seen).toEqual(walk);
    }),
  );
});

async function* from(pieces: readonly Uint8Array[]) {
  yield* pieces;
}

test.each(['GPIO17 3 11.255477775', '17 1', 'GPIO17 1 11.25', 'Segmentation fault'])(
  'refuses a line that is not an edge: %s',
  (text) => {
    expect(() => parseEdge(text)).toThrow(`gpiomon printed ${JSON.stringify(text)}: expected an edge`);
  },
);

const version1 =
  'gpiomon (libgpiod) v1.6.3\nCopyright (C) 2017-2018 Bartosz Golaszewski\nLicense: LGPLv2.1\n';

/** Makes a tool the only one on PATH; it prints `output`. */
async function onlyTool(name: string, output: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, name), `#!/bin/sh\nprintf '%s' "${output}"\n`, { mode: 0o755 });
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test('refuses libgpiod 1, and says which command is missing and what to install', async () => {
  await onlyTool('gpiomon', version1);
  await expect(requireLibgpiod()).rejects.toThrow(/gpiomon is of libgpiod 1\.6\.3.*bookworm-backports gpiod/);
  await expect(readLevels(['GPIO17'], 'as-is')).rejects.toThrow(
    /gpioget is not installed.*apt-get install gpiod/,
  );
});

test('reads levels in the order of the lines, and refuses other output', async () => {
  const lines = ['GPIO17', 'GPIO27'];
  await onlyTool('gpioget', '1 0');
  expect(await readLevels(lines, 'pull-up')).toEqual([true, false]);
  await onlyTool('gpioget', '?');
  await expect(readLevels(lines, 'pull-up')).rejects.toThrow('gpioget printed "?": expected 2 levels');
});
