import { chmod, mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicMs } from '@visitor-counter/agent/clock/time';
import { type Journal, openJournal } from '@visitor-counter/agent/journal/journal';
import type { NewCrossing } from '@visitor-counter/agent/journal/rows';
import { acknowledge } from '@visitor-counter/agent/test/temporary-journal';
import { startCommand } from '@visitor-counter/test/enrolling-unit';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { oneDoor } from '@visitor-counter/test/one-door';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';

const began = Date.now() - 86_400_000;

/** The crossings of a day ago; those of the boot of an unset clock have no instants yet. */
function people(count: number, isClockSet = true): NewCrossing[] {
  return Array.from({ length: count }, (_, index) => {
    const direction = index % 3 === 0 ? -1 : 1;
    if (isClockSet) return { at: began + index, direction };
    return { at: 1_000 + index, direction, moment: monotonicMs(1_000 + index), isDated: false };
  });
}

/** A gateway with a database, the card of a replaced unit, and the unit that has replaced it. */
async function replacedUnit() {
  const { url, rows } = await oneDoor();
  const gateway = await startGatewayProcess(url);
  const folder = await temporaryFolder();
  const tools = join(folder, 'tools');
  await mkdir(tools);
  await writeFile(join(tools, 'timedatectl'), '#!/bin/sh\necho yes\n');
  await chmod(join(tools, 'timedatectl'), 0o755);
  await writeFile(join(folder, 'door.csv'), '');
  const config = join(folder, 'unit.yaml');
  const server = `mqtt://127.0.0.1:${gateway.ready['mqttPort']}`;
  const account = `serial: CU-1\nsecret: secret of CU-1\nserver: ${server}\n`;
  await writeFile(config, `${account}journal: journal\nbeams: { source: replay, file: door.csv }\n`);
  const env = { PATH: `${tools}:${process.env['PATH']}` };
  const old = join(folder, 'card', 'journal');
  const fill = async (work: (journal: Journal) => void) => {
    const journal = await openJournal(old, { boot: '11111111-0000-4000-8000-000000000000', keepFor: 1e12 });
    work(journal);
    await journal.close();
    return journal.id;
  };
  return {
    rows,
    config,
    folder,
    old,
    fill,
    agent: async () => {
      const agent = await startService('agent', ['run', '--config', config], env);
      onTestFinished(() => agent.kill());
      await expect.poll(() => agent.output()).toContain('connected to the server');
      return agent;
    },
    deliver: (...more: string[]) => startCommand(env, 'deliver', old, '--config', config, ...more),
    stored: async (journal: string) => {
      const sql = `select count(*)::integer as count, count(distinct at)::integer as instants
         from crossing join journal on journal.id = journal_id where journal.name = $1`;
      return (await rows.query(sql, [journal]))[0];
    },
  };
}

/** Names, sizes and modification times of the files in a folder. */
async function stateOf(folder: string) {
  const names = (await readdir(folder)).sort();
  return Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).mtimeMs]));
}

test('delivers the journal of a replaced unit through the running agent, each crossing once, although processes are killed', async () => {
  const { fill, old, agent, deliver, stored } = await replacedUnit();
  const journal = await fill((filled) => {
    filled.append(people(30_000));
    acknowledge(filled, 10_000, began + 9_999);
  });
  const card = await stateOf(old);
  const running = await agent();

  const { child, ended } = deliver();
  await expect.poll(async () => (await stored(journal))?.['count']).toBeGreaterThan(1_000);
  child.kill('SIGKILL');
  await ended;
  await running.kill();
  await agent();

  expect(await deliver().ended).toMatchObject({
    code: 0,
    printed: expect.stringMatching(
      /^30000 crossings, \d+ of them not known .*\n[\s\S]*All is delivered\.\n$/,
    ),
  });
  /* The server has never had the acknowledged ones, so it requests them. */
  await expect.poll(() => stored(journal)).toEqual({ count: 30_000, instants: 30_000 });
  expect(await stateOf(old)).toEqual(card);
});

test('declares lost what the card cannot read', async () => {
  const { rows, fill, old, agent, deliver, stored } = await replacedUnit();
  const journal = await fill((filled) => filled.append(people(5_000)));
  const database = await open(join(old, 'journal.sqlite'), 'r+');
  await database.write(Buffer.alloc(1_024, 0x5a), 0, 1_024, 512 * 100);
  await database.close();
  expect(await deliver().ended).toMatchObject({ code: 1, printed: expect.stringMatching(/^No agent runs/) });
  await agent();

  const { code, printed } = await deliver().ended;

  expect([code, printed]).toEqual([
    0,
    expect.stringMatching(
      /^5000 crossings, 5000 of them not .*\n\d+ cannot be read\.[\s\S]*All is delivered/,
    ),
  ]);
  const [, first, last] = /Declared lost: (\d+) to (\d+)\./.exec(printed) ?? [];
  expect(await stored(journal)).toMatchObject({ count: 5_000 - (Number(last) - Number(first) + 1) });
  const gaps = () => rows.query(`select lost::text from journal where not isempty(lost)`);
  await expect.poll(gaps).toEqual([{ lost: `{[${first},${Number(last) + 1})}` }]);
});

test('assigns each crossing of an unset clock an instant that a repetition does not change', async () => {
  const { rows, folder, fill, agent, deliver, stored } = await replacedUnit();
  const journal = await fill((filled) => filled.append(people(2_000, false)));
  /* A crossing of today: what is much older is removed when it is acknowledged. */
  const own = await openJournal(join(folder, 'journal'));
  own.append([{ at: Date.now(), direction: 1 }]);
  await own.close();
  await agent();
  const first = deliver();
  await expect.poll(async () => (await stored(journal))?.['count']).toBeGreaterThan(0);
  first.child.kill('SIGKILL');
  await first.ended;

  expect(await deliver().ended).toMatchObject({ code: 0 });

  expect(await stored(journal)).toEqual({ count: 2_000, instants: 2_000 });
  expect(await rows.query('select from rejected_message')).toEqual([]);
  const bounds = await rows.query(
    `select min(at) >= '2000-01-01' as after, max(at) <= now() as before, min(uncertainty_ms) > 0 as doubtful
     from crossing join journal on journal.id = journal_id where journal.name = $1`,
    [journal],
  );
  expect(bounds).toEqual([{ after: true, before: true, doubtful: true }]);
});

test('refuses a folder without a journal, one of another serial, one that is in use, and its own', async () => {
  const { fill, folder, config, old, agent, deliver } = await replacedUnit();
  const refused = async (why: RegExp) =>
    expect(await deliver().ended).toEqual({ code: 2, printed: expect.stringMatching(why) });
  await agent();
  await refused(/expected a folder that can be read/);
  await mkdir(old, { recursive: true });
  await writeFile(join(old, 'photo.jpg'), '');
  await refused(/expected the folder of a journal, with a file journal.sqlite; on a card var\/lib/);
  for (const name of ['empty', 'folder']) {
    const path = join(folder, name, 'journal.sqlite');
    await mkdir(name === 'folder' ? path : join(folder, name), { recursive: true });
    if (name === 'empty') await writeFile(path, '');
    const unreadable = startCommand({}, 'deliver', join(folder, name), '--config', config);
    expect(await unreadable.ended).toEqual({
      code: 2,
      printed: expect.stringMatching(
        /expected a journal (with crossings that can be read|that can be copied)/,
      ),
    });
  }
  await fill((filled) => filled.append(people(10)));
  const other = await openJournal(join(folder, 'other'), { serial: 'CU-3' });
  other.append(people(10));
  await other.close();
  const wrong = startCommand({}, 'deliver', join(folder, 'other'), '--config', config);
  expect(await wrong.ended).toEqual({
    code: 2,
    printed: expect.stringMatching(/expected a journal of CU-1; this one is of CU-3/),
  });
  const open = await openJournal(old);
  await refused(/expected a journal that no running agent has open/);
  await open.close();
  const own = startCommand({}, 'deliver', join(folder, 'journal'), '--config', config);
  expect(await own.ended).toEqual({ code: 2, printed: expect.stringMatching(/this one delivers its own/) });
});
