import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openJournal } from '@visitor-counter/agent/journal/journal';
import { startAgent } from '@visitor-counter/agent/runtime/start-agent';
import { createLogger } from '@visitor-counter/service/logger';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { oneDoor } from '@visitor-counter/test/one-door';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';

const began = Date.UTC(2026, 10, 1);

/** A gateway, and units that are copies of one card with 5 crossings. */
async function clonedUnits() {
  const { url, rows } = await oneDoor();
  const gateway = await startGatewayProcess(url);
  const folder = await temporaryFolder();
  const unit = `serial: CU-1\nsecret: secret of CU-1\nserver: mqtt://127.0.0.1:${gateway.ready['mqttPort']}
journal: journal\nuplink: { heartbeatSeconds: 1 }\nbeams: { source: replay, file: door.csv }\n`;
  const card = join(folder, 'card');
  const journal = await openJournal(join(card, 'journal'));
  journal.append(Array.from({ length: 5 }, (_, n) => ({ at: began + n * 1_000, direction: 1 as const })));
  await journal.close();
  await writeFile(join(card, 'unit.yaml'), unit);
  /** Starts a copy of the card at a door with crossings at these instants. */
  const start = async (name: string, instants: readonly number[]) => {
    await cp(card, join(folder, name), { recursive: true });
    const passages = instants.map((at) => `${at},a,1\n${at + 200},b,1\n${at + 400},a,0\n${at + 600},b,0\n`);
    await writeFile(join(folder, name, 'door.csv'), passages.join(''));
    const uplink = { backOff: { first: 20, longest: 500 } };
    const agent = await startAgent(
      join(folder, name, 'unit.yaml'),
      {},
      createLogger('agent', { LOG_LEVEL: 'silent' }),
      {
        uplink,
      },
    );
    onTestFinished(() => agent.close());
  };
  return { rows, journal: journal.id, start };
}

test('two units with copies of one card end up with two journals, and every crossing is counted or stored as rejected', async () => {
  const { rows, journal, start } = await clonedUnits();
  const minutes = (count: number, offset: number) =>
    Array.from({ length: count }, (_, n) => began + 3_600_000 + n * 60_000 + offset);
  await start('first', minutes(4, 0));
  await start('second', minutes(3, 10_000));

  const counted = async () => Number((await rows.query('select count(*) from crossing'))[0]?.['count']);
  /* If crossings are sent again in other batches, the message is stored as rejected once more. */
  const kept = async () => {
    const messages = await rows.query(
      `select convert_from(payload, 'UTF8')::json as payload from rejected_message`,
    );
    const entries = messages.flatMap(({ payload }): unknown[] => Object(payload).entries);
    return new Set(entries.map((entry) => JSON.stringify(entry))).size;
  };
  await expect.poll(async () => (await counted()) + (await kept())).toBe(5 + 4 + 3);
  const journals = new Set<unknown>();
  const otherJournals = async () => {
    const [state] = await rows.query(`select heartbeat->>'journal' as journal from device_state`);
    journals.add(state?.['journal']);
    return [...journals].filter((name) => name !== journal).length;
  };
  await expect.poll(otherJournals).toBeGreaterThan(0);
  const begun = () =>
    rows.query(`select from device_command where command->>'command' = 'begin-journal' and state = 'done'`);
  await expect.poll(async () => (await begun()).length).toBeGreaterThan(0);
});
