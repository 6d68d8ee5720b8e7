import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readCards } from './card-files.ts';
import { packageSd } from './package-sd.ts';

const code = makeEnrolmentCode(new Uint8Array(13).fill(3), 'ABCDEFGHJKMNPQRS');

async function batchOf(cards: readonly object[]) {
  const folder = await temporaryFolder();
  const batch = join(folder, 'cards.yaml');
  await writeFile(batch, stringify({ cards }));
  return { folder, batch };
}

test('reads the cards with the codes of the operator', async () => {
  const { folder, batch } = await batchOf([
    { label: 'front', store: 'S-1', code },
    { label: 'back', replace: 'CU-1', serial: 'CU-1', unit: 'back.yaml', code },
  ]);
  expect(await readCards(batch, 'out')).toEqual([
    { label: 'front', folder: 'out/front', code },
    { label: 'back', folder: 'out/back', code, serial: 'CU-1', unit: join(folder, 'back.yaml') },
  ]);
});

test.each([
  ['no cards', []],
  ['no label', [{ code }]],
  ['a label that leaves the folder', [{ label: '../x', code }]],
  [
    'one label twice',
    [
      { label: 'A', code },
      { label: 'a', code },
    ],
  ],
  [
    'one serial number twice',
    [
      { label: 'a', code, serial: 'CU-1' },
      { label: 'b', code, serial: 'cu-1' },
    ],
  ],
  ['no code', [{ label: 'a' }]],
])('rejects a batch with %s without repeating a code', async (_, cards) => {
  const { batch } = await batchOf(cards);
  const error = await readCards(batch, 'out').catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/--batch/);
  expect(String(error)).not.toContain(code.slice(0, 5));
});

test('writes no card if one of them is invalid, and names it without its secrets', async () => {
  const wifi = 'Shop:short';
  const { folder, batch } = await batchOf([
    { label: 'front', code },
    { label: 'back', code, wifi },
  ]);
  const common = { architecture: 'arm64', server: 'https://counter.example', country: 'DE' } as const;
  const cards = await readCards(batch, join(folder, 'out'));
  const error = await packageSd(cards, common).catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/--batch is "back".*--wifi/);
  expect(String(error)).not.toContain('short');
  await expect(readFile(join(folder, 'out', 'front', 'user-data'))).rejects.toThrow('ENOENT');
});
