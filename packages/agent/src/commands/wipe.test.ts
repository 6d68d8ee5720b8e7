import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { agentMain } from '../../test/agent-main.ts';
import { acknowledge } from '../../test/temporary-journal.ts';
import { openJournal } from '../journal/journal.ts';

/** A unit of two doors that has enrolled, with `count` pending crossings at its first door. */
async function unit(count: number) {
  const folder = await temporaryFolder();
  const config = join(folder, 'unit.yaml');
  const beams = 'beams: { source: replay, file: door.csv }';
  await writeFile(
    config,
    `server: mqtts://127.0.0.1:1\nca: ca.pem\ndoors:
  - { serial: CU-1, secret: first secret, journal: journal/front, ${beams} }
  - { serial: CU-2, secret: second secret, journal: journal/back, ${beams} }\n`,
  );
  /* Also unfinished files, as power cuts leave them. */
  const written = ['ca.pem', 'unit.yaml.enrolment', 'unit.yaml'].map((name) => `${name}.new`);
  for (const name of ['ca.pem', 'enrol.env', 'unit.yaml.enrolment', 'door.csv', ...written])
    await writeFile(join(folder, name), '');
  const front = join(folder, 'journal/front');
  const journal = await openJournal(front, { keepFor: 1e12 });
  journal.append(Array.from({ length: count + 5 }, () => ({ at: 1e12, direction: 1 })));
  acknowledge(journal, 5, 1e12);
  await journal.close();
  for (const name of ['remote.json', 'journal.sqlite.damaged', 'journal.sqlite.damaged-wal'])
    await writeFile(join(front, name), '{}');
  await mkdir(join(folder, 'journal/front.old'), { recursive: true });
  const wipe = async (input: string, ...options: string[]) => {
    const child = spawn(process.execPath, [agentMain, 'wipe', '--config', config, ...options]);
    child.stdin.on('error', () => {}).end(input);
    const printed = Promise.all([text(child.stdout), text(child.stderr)]);
    await once(child, 'close');
    return { code: child.exitCode, printed: (await printed).join('') };
  };
  const left = async () => (await readdir(folder, { recursive: true })).sort();
  return { config, front, wipe, left };
}

test('removes identity, journals and commands after confirmation, and nothing else', async () => {
  const { wipe, left } = await unit(0);
  const before = await left();
  expect(await wipe('no\n')).toEqual({
    code: 1,
    printed: expect.stringMatching(/Not confirmed\.\nNothing is removed/),
  });
  expect(await wipe('')).toMatchObject({ code: 1 });
  expect(await left()).toEqual(before);

  const { code, printed } = await wipe('yes\n');

  expect([code, await left()]).toEqual([0, ['door.csv', 'journal']]);
  expect(printed).toContain('admin device retire CU-1\n');
  expect(printed).toContain('admin device retire CU-2\n');
});

test('refuses while crossings are pending and prints how many, unless --discard-pending is set', async () => {
  const { wipe, left } = await unit(7);
  const before = await left();
  expect(await wipe('', '--yes')).toEqual({
    code: 1,
    printed: expect.stringMatching(/^CU-1: 7 crossings are not delivered to the server\./),
  });
  expect(await left()).toEqual(before);

  expect(await wipe('', '--yes', '--discard-pending')).toMatchObject({
    code: 0,
    printed: expect.stringContaining('7 crossings are not delivered to the server, and will be lost'),
  });
  expect(await left()).toEqual(['door.csv', 'journal']);
});

test('refuses while an agent has a journal open', async () => {
  const { front, wipe, left } = await unit(0);
  const running = await openJournal(front);
  onTestFinished(() => running.close());
  const before = await left();
  expect(await wipe('', '--yes', '--discard-pending')).toMatchObject({
    code: 1,
    printed: expect.stringMatching(/^The agent is running\. Stop it first/),
  });
  expect(await left()).toEqual(before);
});
