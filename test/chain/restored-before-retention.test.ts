import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openJournal } from '@visitor-counter/agent/journal/open-journal';
import { expectDerived } from '@visitor-counter/test/expect-derived';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { oneDoor } from '@visitor-counter/test/one-door';
import { projected } from '@visitor-counter/test/projected';
import { portOf, startService } from '@visitor-counter/test/service-process';
import { startTcpProxy } from '@visitor-counter/test/tcp-proxy';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, onTestFinished, test } from 'vitest';
import { backUpInto, operator, restoreFrom } from './operator.ts';

const day = 24 * 60 * 60_000;

/** A unit that keeps its crossings for long, and the database that it delivers to while a gateway runs. */
async function oldUnit() {
  const door = await oneDoor();
  const target = { host: '127.0.0.1', port: 1 };
  const proxy = await startTcpProxy(target);
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'door.csv'), '');
  const config = join(folder, 'unit.yaml');
  await writeFile(
    config,
    `serial: CU-1\nsecret: secret of CU-1\nserver: mqtt://127.0.0.1:${proxy.port}\njournal: journal
uplink: { heartbeatSeconds: 1 }\nkeep: { days: 366 }\nbeams: { source: replay, file: door.csv }\n`,
  );
  let recorded = 0;
  /** Writes crossings into the journal while the agent does not run, one each minute from an instant on. */
  const record = async (count: number, from: number) => {
    const journal = await openJournal(join(folder, 'journal'));
    await journal.append(
      Array.from({ length: count }, (_, index) => ({
        at: from + index * 60_000,
        direction: index % 3 === 2 ? -1 : 1,
      })),
    );
    await journal.close();
    recorded += count;
  };
  const startAgent = async () => {
    const agent = await startService('agent', ['run', '--config', config], {});
    onTestFinished(() => agent.kill());
    await expect.poll(() => agent.output()).toContain(`"acknowledged":${recorded}`);
    return agent;
  };
  const startGateway = async () => {
    const gateway = await startGatewayProcess(door.url);
    target.port = portOf(gateway, 'mqttPort');
    return gateway;
  };
  const keepOneMonth = async () => {
    await untilTransactionsEnd(door.url);
    const args = ['retention', 'set', '--company', 'Acme', '--months', '1', '--yes'];
    expect(await operator(door.url, args)).toMatchObject({ code: 0 });
  };
  const stored = async () => (await door.rows.query('select from crossing')).length;
  const removed = async () => {
    const { out } = await operator(door.url, ['retention', 'list', '--json']);
    const [{ removed, finished }] = JSON.parse(out).companies;
    return finished ? removed : undefined;
  };
  const counted = async () => {
    await projected(door.url);
    const [sum] = await door.rows.query(
      'select sum(entries)::integer as entries, sum(exits)::integer as exits from device_quarter',
    );
    return sum;
  };
  return { ...door, record, startAgent, startGateway, keepOneMonth, stored, removed, counted };
}

test.each(['before', 'after'])(
  'counts each crossing once after a restore of a backup from before a retention pass, set %s the backup',
  async (set) => {
    const { url, rows, record, startAgent, startGateway, keepOneMonth, stored, removed, counted } =
      await oldUnit();
    const folder = await temporaryFolder();
    const begin = Date.now() - 60 * day;
    await record(600, begin);
    const first = await startGateway();
    const before = await startAgent();
    await before.stop();
    await first.stop();
    if (set === 'before') await keepOneMonth();
    const file = await backUpInto(url, folder);
    await startGateway();
    if (set === 'before') await expect.poll(removed).toBe(600);
    await record(300, begin + 600 * 60_000);
    await record(300, Date.now() - day);
    await startAgent();
    if (set === 'after') {
      await keepOneMonth();
      await expect.poll(removed).toBe(900);
    }
    expect(await counted()).toEqual({ entries: 800, exits: 400 });

    await restoreFrom(url, file);

    const missing = () => rows.query('select from journal where missing_since is not null');
    /* Removal may begin before or after the unit has sent the 300 old crossings again. */
    const removedAgain = async () => (set === 'before' ? ((await removed()) ?? Number.NaN) : 0);
    await expect.poll(async () => (await stored()) + (await removedAgain())).toBe(1_200);
    if (set === 'before') expect([600, 900]).toContain(await removed());
    await expect.poll(missing).toHaveLength(0);
    expect(await counted()).toEqual({ entries: 800, exits: 400 });
    if (set === 'after') {
      await keepOneMonth();
      await expect.poll(removed).toBe(900);
      expect(await stored()).toBe(300);
      expect(await counted()).toEqual({ entries: 800, exits: 400 });
    }
    expect(await rows.query('select from rejected_message')).toEqual([]);
    await expectDerived(url);
  },
);
