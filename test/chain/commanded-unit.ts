import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openJournal } from '@visitor-counter/agent/journal/journal';
import { addDeviceCommand, setDeviceConfig } from '@visitor-counter/database/devices/unit-commands';
import { backUp } from '@visitor-counter/test/backup';
import { connected } from '@visitor-counter/test/connected';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { oneDoor } from '@visitor-counter/test/one-door';
import { startService } from '@visitor-counter/test/service-process';
import { startTcpProxy } from '@visitor-counter/test/tcp-proxy';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { expect, onTestFinished } from 'vitest';

/** Crossings in the unit's journal at the start, and the age of the first one (ms). */
export const recorded = 20_000;
const oldest = recorded * 1_000;

/** A unit with so many crossings, and a gateway that it reaches through a proxy. */
export async function unitAndGateway(crossings = recorded) {
  const door = await oneDoor();
  const target = { host: '127.0.0.1', port: 1 };
  const proxy = await startTcpProxy(target);
  const { config, journal } = await unitFolder(`mqtt://127.0.0.1:${proxy.port}`, crossings);
  const startAgent = async () => {
    const agent = await startService('agent', ['run', '--config', config], {});
    onTestFinished(() => agent.kill());
    return agent;
  };
  const startGateway = async () => {
    const gateway = await startGatewayProcess(door.url);
    target.port = Number(gateway.ready['mqttPort']);
    return gateway;
  };
  return { ...door, proxy, journal, startAgent, startGateway, ...ordersFor(door) };
}

type World = Awaited<ReturnType<typeof unitAndGateway>>;

/** Delivers everything, and then deletes it from the database. */
export async function loseAll({ url, startGateway, stored }: World, startAgent: World['startAgent']) {
  const backup = await backUp(url);
  const before = await startGateway();
  const agent = await startAgent();
  await expect.poll(stored).toBe(recorded);
  await expect.poll(() => agent.output()).toContain(`"acknowledged":${recorded}`);
  await before.kill();
  await backup.restore();
  expect(await stored()).toBe(0);
  return agent;
}

/** The folder of a unit with so many crossings in its journal. */
async function unitFolder(server: string, crossings: number): Promise<{ config: string; journal: string }> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'door.csv'), '');
  const unit = `serial: CU-1\nsecret: secret of CU-1\nserver: ${server}\njournal: journal
uplink: { heartbeatSeconds: 1 }\nbeams: { source: replay, file: door.csv }\n`;
  await writeFile(join(folder, 'unit.yaml'), unit);
  const journal = await openJournal(join(folder, 'journal'));
  const began = Date.now() - oldest;
  journal.append(
    Array.from({ length: crossings }, (_, index) => ({
      at: began + index * 1_000,
      direction: index % 2 ? -1 : 1,
    })),
  );
  await journal.close();
  return { config: join(folder, 'unit.yaml'), journal: journal.id };
}

/** Sends orders as an operator, and reads their state from the database. */
function ordersFor({ url, rows, deviceId }: Awaited<ReturnType<typeof oneDoor>>) {
  const { kysely } = connected(url);
  const one = async (sql: string, values: readonly unknown[] = []) =>
    (await rows.query(sql, values))[0] ?? {};
  return {
    order: (command: UnitOrder) => addDeviceCommand(kysely, deviceId, command, Date.now() + 3_600_000),
    configure: (settings: object) => setDeviceConfig(kysely, deviceId, settings),
    stored: async () => Number((await one('select count(*) from crossing'))['count']),
    state: (id: number) =>
      one(
        `select state, problem, finished_at is not null as finished
         from device_command where id = $1`,
        [id],
      ),
    reportedJournal: async () =>
      (await one(`select heartbeat->>'journal' as journal from device_state`))['journal'],
    revision: async () =>
      (await one(`select heartbeat->'config'->'revision' as revision from device_state`))['revision'],
  };
}
