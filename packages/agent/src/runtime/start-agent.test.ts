import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { crossingsOf } from '../../test/temporary-journal.ts';
import { openJournal } from '../journal/journal.ts';
import { startAgent } from './start-agent.ts';

const doors = `
server: mqtt://127.0.0.1:1
doors:
  - { serial: CU-1, secret: s1, journal: j1, beams: { source: replay, file: in.csv } }
  - serial: CU-2
    secret: s2
    journal: j2
    oneBeam: { direction: out }
    beams: { source: replay, file: one.csv }
`;

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const silent = createLogger('agent', { LOG_LEVEL: 'silent' });

test('watches several doors in one process, each with its own beams and journal', async () => {
  const folder = await folderWith({
    'unit.yaml': doors,
    'in.csv': '1000,a,1\n1200,b,1\n1400,a,0\n1600,b,0\n',
    'one.csv': '500,a,0\n2000,a,1\n2300,a,0\n3000,a,1\n3300,a,0\n',
  });
  let lines = '';
  const write = (line: string) => {
    lines += line;
  };
  const agent = await startAgent(join(folder, 'unit.yaml'), {}, createLogger('agent', {}, { write }));
  expect(agent.ready).toMatchObject({ doors: [{ serial: 'CU-1' }, { serial: 'CU-2' }] });
  await expect.poll(() => lines).toMatch(/"serial":"CU-1","recorded":1,/);
  await expect.poll(() => lines).toMatch(/"serial":"CU-2","recorded":2,/);
  await agent.close();
  const read = async (name: string) => {
    const journal = await openJournal(join(folder, name));
    onTestFinished(() => journal.close());
    return crossingsOf(journal).map(({ at, direction }) => [at, direction]);
  };
  expect(await read('j1')).toEqual([[1_600, 1]]);
  expect(await read('j2')).toEqual([
    [2_300, -1],
    [3_300, -1],
  ]);
});

/** A disk whose first uses fail. */
function unreadableFor(uses: number): () => void {
  let failures = uses;
  return () => {
    failures -= 1;
    if (failures >= 0) throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
  };
}

test('plays nobody of a simulation twice when it starts while the disk cannot be read', async () => {
  const folder = await folderWith({
    'unit.yaml': `
server: mqtt://127.0.0.1:1
serial: CU-1
secret: secret
journal: journal
beams: { source: simulated, profile: day.csv, timeZone: Europe/Berlin, startsOn: 2026-01-04, until: 1767567600000 }
`,
    'day.csv': '# days: 1\n# interval: 30\nday,time,in,out\n0,10:00,20,10\n',
  });
  const played = async (beforeUse?: () => void) => {
    let lines = '';
    const write = (line: string) => {
      lines += line;
    };
    const log = createLogger('agent', {}, { write });
    const journal = { retryEvery: 20, ...(beforeUse && { beforeUse }) };
    const agent = await startAgent(join(folder, 'unit.yaml'), {}, log, { journal });
    await expect.poll(() => lines).toContain('"recorded":30,');
    await agent.close();
  };
  await played();
  await played(unreadableFor(5));

  const journal = await openJournal(join(folder, 'journal'));
  onTestFinished(() => journal.close());
  expect(journal.journals.map(({ recorded }) => recorded)).toEqual([30]);
});

test('closes everything if one of the doors cannot start', async () => {
  const folder = await folderWith({ 'unit.yaml': doors, 'in.csv': '', 'one.csv': '' });
  const held = await openJournal(join(folder, 'j2'));
  await expect(startAgent(join(folder, 'unit.yaml'), {}, silent)).rejects.toThrow('no other agent has open');
  await held.close();
  await (await openJournal(join(folder, 'j1'))).close();
});

test('refuses the journal of another device, whose crossings would be counted twice', async () => {
  const unit = (serial: string) =>
    `{server: 'mqtt://127.0.0.1:1', serial: ${serial}, secret: s, journal: j, beams: {source: replay, file: in.csv}}`;
  const folder = await folderWith({
    'unit.yaml': unit('CU-1'),
    'in.csv': '1000,a,1\n1200,b,1\n1400,a,0\n1600,b,0\n',
  });
  const config = join(folder, 'unit.yaml');
  await (await startAgent(config, {}, silent)).close();
  await writeFile(config, unit('CU-2'));
  await expect(startAgent(config, {}, silent)).rejects.toThrow(
    /expected a journal of CU-2: this one is of CU-1/,
  );
  await writeFile(config, unit('CU-1'));
  await (await startAgent(config, {}, silent)).close();
  const journal = await openJournal(join(folder, 'j'), { serial: 'CU-1' });
  expect(journal.journals).toHaveLength(1);
  await journal.close();
});
