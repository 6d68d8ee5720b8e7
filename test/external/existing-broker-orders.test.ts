import { backUp } from '@visitor-counter/test/backup';
import { startMosquitto } from '@visitor-counter/test/mosquitto';
import { oneDoor } from '@visitor-counter/test/one-door';
import { startService } from '@visitor-counter/test/service-process';
import { expect, onTestFinished, test } from 'vitest';
import { ordersFor, recorded, unitFolder } from '../chain/commanded-unit.ts';

/** A unit that delivers to two gateways through Mosquitto, and a backup of the database from before. */
async function unitBehindMosquitto() {
  const door = await oneDoor();
  const mosquitto = await startMosquitto({ gateway: 'gateway', 'CU-1': 'secret of CU-1' });
  onTestFinished(() => mosquitto.close());
  const backup = await backUp(door.url);
  for (const name of ['a', 'b']) {
    const gateway = await startService('gateway', [], {
      DATABASE_URL: door.url,
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
  return { ...door, backup, agent, journal, ...ordersFor(door) };
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
  const { backup, rows, journal, stored } = await unitBehindMosquitto();
  expect(await stored()).toBe(recorded);

  await backup.restore();

  const missing = () => rows.query('select first::int, last::int from journal_missing');
  await expect.poll(missing).toEqual([{ first: 1, last: recorded }]);
  /* By default the gateways wait longer than this test for messages in flight. */
  await rows.query(`update journal_missing set since = now() - interval '10 minutes'`);
  await expect.poll(missing).toEqual([]);
  expect(await stored()).toBe(recorded);
  const first = async () =>
    (await rows.query('select command, state from device_command order by created_at limit 1'))[0];
  const command = { command: 'resend', journal, first: 1, last: recorded };
  await expect.poll(first).toEqual({ command, state: 'done' });
  const online = () => rows.query('select online from device_state');
  await expect.poll(online).toEqual([{ online: true }]);
});
