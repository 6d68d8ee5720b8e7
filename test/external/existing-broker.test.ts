import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { applyFile } from '@visitor-counter/test/admin';
import { type Mosquitto, startMosquitto } from '@visitor-counter/test/mosquitto';
import { recordedHalfHours, recordingFile } from '@visitor-counter/test/recording';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { startedOnce } from '@visitor-counter/test/started-once';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { databaseOfFile } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

/**
 * Units, Mosquitto, two gateways, PostgreSQL: Mosquitto and the gateways are killed under load, and Mosquitto
 * loses everything that it has accepted.
 */
const serials = ['CU-0001', 'CU-0002', 'CU-0003'];
const secret = 'secret-of-a-unit';
const total = recordedHalfHours().reduce((sum, half) => sum + half.in + half.out, 0);
const topology = {
  companies: [
    {
      name: 'Acme',
      stores: [{ sid: 'S-1', name: 'Main Door', timeZone: 'America/Los_Angeles' }],
      devices: serials.map((serial) => ({ serial, name: serial, store: 'S-1', secret })),
    },
  ],
};

let folder: string;
let database: Database;
let mosquitto: Mosquitto;
let gateways: ServiceProcess[] = [];
let agents: ServiceProcess[] = [];
const acknowledged = new Map<string, number>();
let startGateway: (name: string) => Promise<ServiceProcess>;

startedOnce(async (atEnd) => {
  folder = await temporaryFolder(atEnd);
  const url = await databaseOfFile(atEnd);
  database = connect(url, { applicationName: 'test' });
  atEnd(() => database.close());
  await applyFile(JSON.stringify(topology), { DATABASE_URL: url });
  mosquitto = await startMosquitto({
    gateway: 'secret of gateways',
    unknown: 'secret of an unknown user',
    ...Object.fromEntries(serials.map((serial) => [serial, secret])),
  });
  atEnd(() => mosquitto.close());
  atEnd(async () => void (await Promise.all([...agents, ...gateways].map((service) => service.stop()))));
  startGateway = (name) =>
    startService('gateway', [], {
      DATABASE_URL: url,
      MQTT_URL: `mqtt://gateway:secret%20of%20gateways@127.0.0.1:${mosquitto.port}`,
      MQTT_CLIENT_ID: name,
      MQTT_CONNECTIONS: '8',
      MQTT_SESSION_EXPIRY: '5',
      METRICS_PORT: '0',
    });
  gateways = [await startGateway('gateway-a'), await startGateway('gateway-b')];
  agents = await Promise.all(serials.map((serial) => startAgent(serial)));
});

test('stores every crossing exactly once and frees every journal although broker and gateways are killed', async () => {
  await progress(0.1);
  await mosquitto.kill();
  await mosquitto.start();
  await progress(0.2);
  await gateways[0]?.kill();
  await progress(0.3);
  gateways[0] = await startGateway('gateway-a');
  await mosquitto.kill();
  await mosquitto.forget();
  await mosquitto.start();
  await progress(0.45);
  await Promise.all(gateways.map((gateway) => gateway.kill()));
  gateways = [await startGateway('gateway-a'), await startGateway('gateway-b')];
  await progress(0.6);
  await agents[1]?.kill();
  agents[1] = await startAgent('CU-0002');
  await mosquitto.kill();
  await mosquitto.forget();
  await gateways[1]?.kill();
  await mosquitto.start();
  await progress(0.8);
  gateways[1] = await startGateway('gateway-b');
  await progress(1);

  const { rows } = await database.pool.query(
    `select serial, count(*)::int, max(sequence)::int, sum(direction)::int, min(journal_id) = max(journal_id) as one
     from crossing join device on device.id = device_id group by serial order by serial`,
  );
  expect(rows).toEqual(
    serials.map((serial) => ({ serial, count: total, max: total, sum: 19_597 - 18_837, one: true })),
  );
  const rejected = await database.pool.query('select * from rejected_message');
  expect(rejected.rows).toEqual([]);
});

test('shows units of an external broker online, and offline after they have disconnected', async () => {
  await expect.poll(online).toEqual([true, true, true]);

  await agents[2]?.stop();
  await agents[1]?.kill();

  await expect.poll(online).toEqual([true, false, false]);
});

async function online(): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    'select online from device_state join device on device.id = device_id order by serial',
  );
  return rows.map((row) => row.online);
}

/** Waits until the gateways have reported this part of all crossings as committed to the units. */
async function progress(part: number): Promise<void> {
  const least = () => Math.min(...serials.map((serial) => acknowledged.get(serial) ?? 0));
  await expect
    .poll(least, {
      timeout: 90_000,
      interval: 20,
    })
    .toBeGreaterThanOrEqual(total * part);
}

async function startAgent(serial: string): Promise<ServiceProcess> {
  const file = join(folder, `${serial}.yaml`);
  const beams = {
    source: 'simulated',
    profile: fileURLToPath(recordingFile),
    timeZone: 'America/Los_Angeles',
    startsOn: '2005-07-24',
    overlays: [0],
    until: Date.parse('2005-11-06T00:00:00-08:00'),
  };
  const unit = {
    serial,
    secret,
    server: `mqtt://127.0.0.1:${mosquitto.port}`,
    journal: `journal-${serial}`,
    beams,
    uplink: { acknowledgement: 'committed', commitSeconds: 2, window: 32, crossingsPerMessage: 20 },
  };
  await writeFile(file, JSON.stringify(unit));
  return startService('agent', ['run', '--config', file], {}, (message) => {
    const { progress } = message as { progress?: { acknowledged: number } };
    if (progress) acknowledged.set(serial, progress.acknowledged);
  });
}
