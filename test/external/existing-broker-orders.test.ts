import { startMosquitto } from '@visitor-counter/test/mosquitto';
import { restorableDatabase } from '@visitor-counter/test/restorable-database';
import { seed } from '@visitor-counter/test/seed';
import { startService } from '@visitor-counter/test/service-process';
import { expect, onTestFinished, test } from 'vitest';
import { ordersIn, recorded, unitFolder } from '../chain/commanded-unit.ts';

/** A unit that delivers to two gateways through Mosquitto, and a database that can be restored. */
async function unitBehindMosquitto() {
  const database = await restorableDatabase();
  const orders = await ordersIn(database);
  const mosquitto = await startMosquitto({ gateway: 'gateway', 'CU-1': 'secret of CU-1' });
  onTestFinished(() => mosquitto.close());
  await database.dump();
  for (const name of ['a', 'b']) {
    const gateway = await startService('gateway', [], {
      DATABASE_URL: database.url,
      METRICS_PORT: '0',
      MQTT_CONNECTIONS: '2',
      MQTT_URL: `mqtt://gateway:gateway@127.0.0.1:${mosquitto.port}`,
      MQTT_CLIENT_ID: name,
    });
    onTestFinished(async () => void (await gateway.stop()));
  }
  const { config, journal } = await unitFolder(`mqtt://127.0.0.1:${mosquitto.port}`, {
    acknowledgement: 'committed',
    commitSeconds: 2,
  });
  const agent = await startService('agent', ['run', '--config', config], {});
  onTestFinished(() => agent.kill());
  await expect.poll(() => agent.output()).toContain(`"acknowledged":${recorded}`);
  return { database, rows: seed(database.url), agent, journal, ...orders };
}

test('settings and commands reach a unit through the broker, and each is executed once', async () => {
  const { agent, order, configure, state, revision, journal, reportedJournal } = await unitBehindMosquitto();

  const identify = await order({ command: 'identify' });
  const resend = await order({ command: 'resend', journal, first: 1, last: 100 });
  const begin = await order({ command: 'begin-journal', journal });
  const done = { state: 'done', finished: true };
  for (const id of [identify, resend, begin]) await expect.poll(() => state(id)).toMatchObject(done);
  await expect.poll(reportedJournal).not.toBe(journal);
  const settings = await configure({ keep: { days: 7 } });
  await expect.poll(revision).toBe(settings);

  for (const id of [identify, resend, begin])
    expect(agent.output().match(new RegExp(`"id":${id}[^\\n]*command received`, 'g'))).toHaveLength(1);
});

test('a database restored while gateways run is completed through the broker', async () => {
  const { database, rows, journal, stored } = await unitBehindMosquitto();
  expect(await stored()).toBe(recorded);

  await database.restore();

  const missing = () => rows.query('select first::int, last::int from journal_missing');
  await expect.poll(missing).toEqual([{ first: 1, last: recorded }]);
  /* By default the gateways wait longer than this test for messages in flight. */
  await rows.query(`update journal_missing set since = now() - interval '10 minutes'`);
  await expect.poll(missing).toEqual([]);
  expect(await stored()).toBe(recorded);
  const [first] = await rows.query('select command, state from device_command order by created_at limit 1');
  const command = { command: 'resend', journal, first: 1, last: recorded };
  expect(first).toEqual({ command, state: 'done' });
  const online = () => rows.query('select online from device_state');
  await expect.poll(online).toEqual([{ online: true }]);
});
