import { orderNightlyUpdates, setTargetVersion } from '@visitor-counter/database/devices/update-orders';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { connected } from '@visitor-counter/test/connected';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SeededDevices, seedDevices, startOn } from '../../test/test-gateway.ts';

const minute = 60_000;

function database(url: string) {
  const { kysely } = connected(url);
  return kysely;
}

/** Two connected units of a store that report a version. */
async function twoUnits(version = '1.3.0') {
  const seeded = await seedDevices(await testDatabase());
  const report = (deviceId: number, heartbeat: object) =>
    seeded.seed.query('update device_state set online = true, heartbeat = $2 where device_id = $1', [
      deviceId,
      JSON.stringify(heartbeat),
    ]);
  for (const id of [seeded.deviceId, seeded.otherId]) await report(id, { version });
  return { ...seeded, report, db: database(seeded.url) };
}

/** In the zone of the store, UTC. */
const at = (time: string) => Date.parse(`2026-11-20T${time}:00Z`);

test('orders the target over MQTT from a connected unit at night, and from no other unit of its store', async () => {
  const seeded = await seedDevices(await testDatabase());
  const { url, seed, serial, other, deviceId, otherId } = seeded;
  const hours = (new Date().getUTCHours() + 22) % 24;
  /* Where it is between two and three. */
  const zone = hours <= 12 ? `Etc/GMT+${hours}` : `Etc/GMT-${24 - hours}`;
  await seed.query('update store set time_zone = $1', [zone]);
  await database(url)
    .transaction()
    .execute((trx) => setTargetVersion(trx, [deviceId, otherId], '1.4.0'));
  const gateway = await startOn(url, { updateInterval: 50, sessionInterval: 50, stateInterval: 50 });
  const received = new Set<string>();
  for (const name of [serial, other]) {
    const unit = await connectUnit({ port: gateway.mqttPort, serial: name });
    unit.client.on('message', (topic, payload) =>
      received.add(`${topic} ${payload.toString().replace(/"id":\d+/, 'id')}`),
    );
    await unit.client.subscribeAsync(`counter/v1/${name}/commands`);
    await unit.publish('status', 'online', { retain: true });
    await unit.publish('heartbeat', JSON.stringify({ at: Date.now(), version: '1.3.0' }));
  }

  await expect.poll(() => received.size).toBe(1);
  expect([...received][0]).toMatch(/^counter\/v1\/CU-1-[ab]\/commands \{.*"command":"update".*\}$/);
  expect([...received][0]).toContain('"version":"1.4.0"');
  expect(await seed.query('select from device_command')).toHaveLength(1);
});

test('never updates two units of a store in the same hour, each once a night and at night only', async () => {
  const { seed, companyId, db } = await twoUnits();
  const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Mars/Olympus'];
  for (const [index, timeZone] of zones.entries()) {
    const storeId = await seed.store({ companyId, sid: `Z-${index}`, timeZone });
    for (const door of ['a', 'b', 'c'])
      await seed.device({ companyId, storeId, serial: `Z-${index}-${door}` });
  }
  await seed.query('update device_state set online = true');
  /* Clocks are set back in Berlin on this night. */
  const begin = Date.parse('2026-10-24T18:00:00Z');
  const pauses = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 40, maxLength: 60 });

  await fc.assert(
    fc.asyncProperty(pauses, fc.infiniteStream(fc.boolean()), async (minutes, answers) => {
      await seed.query('delete from device_command');
      let now = begin;
      for (const pause of minutes) {
        now += pause * minute;
        await orderNightlyUpdates(db, now);
        if (answers.next().value)
          await seed.query(
            `update device_command set state = 'done', finished_at = created_at + interval '1 minute'
             where finished_at is null and created_at = $1`,
            [new Date(now)],
          );
      }
      const orders = await seed.query(
        `select store_id, time_zone, serial, created_at, coalesce(finished_at, expires_at) as received_by
         from device_command join device on device.id = device_command.device_id
         join device_assignment using (device_id) join store on store.id = store_id order by store_id, created_at`,
      );
      expect(orders.length).toBeGreaterThan(0);
      const instant = (value: unknown) => Number(value);
      for (const [index, order] of orders.entries()) {
        const local = zonedFormatter(String(order['time_zone']))(instant(order['created_at']));
        expect(local.slice(11, 13)).toMatch(/^0[1-4]$/);
        const same = orders.slice(0, index).filter((one) => one['store_id'] === order['store_id']);
        for (const one of same)
          expect(instant(order['created_at']) - instant(one['received_by'])).toBeGreaterThanOrEqual(
            60 * minute,
          );
        const nights = same.filter(
          (one) =>
            one['serial'] === order['serial'] &&
            instant(order['created_at']) - instant(one['created_at']) < 12 * 60 * minute,
        );
        expect(nights).toEqual([]);
      }
    }),
    { numRuns: 8 },
  );
});

/** The orders of a night in the order in which they are given: serial and version. */
async function night({ db, seed }: SeededDevices & { db: ReturnType<typeof database> }) {
  await seed.query('delete from device_command');
  const orders: string[] = [];
  for (let time = at('00:30'); time < at('06:00'); time += 30 * minute)
    for (const { serial, version } of await orderNightlyUpdates(db, time))
      orders.push(`${serial} ${version}`);
  return orders;
}

test('orders security updates only from a unit without a target, with its target, or that went back from it', async () => {
  const world = await twoUnits();
  const { db, serial: a, other: b, deviceId, otherId, report } = world;
  const target = (id: number, version: string | null) =>
    db.transaction().execute((trx) => setTargetVersion(trx, [id], version));

  expect(await night(world)).toEqual([`${a} null`, `${b} null`]);
  await target(otherId, '1.4.0');
  expect(await night(world)).toEqual([`${b} 1.4.0`, `${a} null`]);
  const update = { version: '1.4.0', at: 1 };
  await report(otherId, { version: '1.3.0', update: { ...update, result: 'failed' } });
  expect(await night(world)).toEqual([`${b} 1.4.0`, `${a} null`]);
  await report(otherId, { version: '1.3.0', update: { ...update, result: 'rolled back' } });
  expect(await night(world)).toEqual([`${a} null`, `${b} null`]);
  await target(otherId, '1.4.1');
  expect(await night(world)).toEqual([`${b} 1.4.1`, `${a} null`]);
  await report(otherId, { version: '1.4.1' });
  await target(deviceId, '1.2.0');
  expect(await night(world)).toEqual([`${a} 1.2.0`, `${b} null`]);
});

test('orders nothing from a unit that is not connected, or retired', async () => {
  const world = await twoUnits();
  await world.seed.query('update device_state set online = false where device_id = $1', [world.deviceId]);
  expect(await night(world)).toEqual([`${world.other} null`]);
  await world.seed.query('update device set retired_at = now() where id = $1', [world.otherId]);
  expect(await night(world)).toEqual([]);
});
