import { storeMessages } from '@visitor-counter/database/ingest/store-messages';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { backUp } from '@visitor-counter/test/backup';
import { oneDoor } from '@visitor-counter/test/one-door';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { asStored, entries, stored } from '../../test/crossings.ts';
import { startTestGateway, type TestGateway } from '../../test/test-gateway.ts';

/** Sends until it is acknowledged, and reconnects when the connection ends, as a unit does. */
async function deliver({ mqttPort }: TestGateway, serial: string, journal: string, first: number, count = 3) {
  await vi.waitFor(
    async () => {
      const unit = await connectUnit({ port: mqttPort, serial });
      await unit.crossings(journal, first, entries(first, count));
    },
    { timeout: 90_000, interval: 200 },
  );
}

test('stores under the right journals after the tables are restored from a backup while it runs', async () => {
  const gateway = await startTestGateway();
  const { serial, other, otherId, seed } = gateway;
  await deliver(gateway, serial, 'j1', 1);
  /* In the backup the id of the first journal belongs to the journal of the other device. */
  await seed.query('truncate crossing, journal, quarter_state, quarter, day, mark restart identity cascade');
  await seed.query(`insert into journal (device_id, name) values ($1, 'j1')`, [otherId]);

  await deliver(gateway, serial, 'j1', 4);
  await deliver(gateway, other, 'j1', 1);
  await deliver(gateway, serial, 'j1', 1);

  expect(await stored(gateway)).toEqual([
    ...asStored(serial, 'j1', 1, entries(1, 6)),
    ...asStored(other, 'j1', 1, entries(1, 3)),
  ]);
});

test('stores under journals that exist after the tables were replaced by renaming', async () => {
  const gateway = await startTestGateway();
  const { serial, seed } = gateway;
  await deliver(gateway, serial, 'j1', 1);
  await seed.query(`
    alter table journal rename to old_journal;
    create table journal (like old_journal including all);
    alter table journal add foreign key (device_id) references device;
    select setval(pg_get_serial_sequence('journal', 'id'), 1000);
    alter table crossing rename to old_crossing;
    create table crossing (like old_crossing including all)`);

  await deliver(gateway, serial, 'j1', 4);
  await deliver(gateway, serial, 'j1', 7);

  expect(await stored(gateway)).toEqual(asStored(serial, 'j1', 4, entries(4, 6)));
});

test('stores nothing under a device whose id belongs to another device in the restored database', async () => {
  const gateway = await startTestGateway({ sessionInterval: 3_600_000 });
  const { serial, other, deviceId, otherId, seed } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  await unit.crossings('j1', 1, entries(1, 3));
  await seed.query('truncate crossing, journal, quarter_state, quarter, day, mark restart identity cascade');
  const rename = 'update device set serial = $2, serial_key = lower($2) where id = $1';
  for (const [id, name] of [
    [deviceId, 'CU-x'],
    [otherId, serial],
    [deviceId, other],
  ]) {
    await seed.query(rename, [id, name]);
  }

  await expect(unit.crossings('j1', 4, entries(4, 3))).rejects.toThrow();
  expect(await stored(gateway)).toEqual([]);
  expect(await seed.query('select from rejected_message')).toEqual([]);
});

test('keeps no rejected message with a connection that has read another history', async () => {
  const { url, rows, deviceId } = await oneDoor();
  const connection = new StoringConnection(url, 'test');
  onTestFinished(() => connection.close());
  const reject = (text: string) => {
    const rejections = [{ reason: 'malformed', payload: Buffer.from(text) }];
    return connection.use((client, journals) =>
      storeMessages(client, journals, [{ deviceId, topic: 't', rejections }]),
    );
  };
  await reject('first');
  await rows.query(
    'insert into history (origin, after_transaction) select origin, after_transaction from history',
  );

  await expect(reject('second')).rejects.toMatchObject({ code: 'VC001' });

  expect(await rows.query('select from rejected_message')).toHaveLength(1);
});

test('ends the connections of devices whose sessions a restored database does not have', async () => {
  const gateway = await startTestGateway({ sessionInterval: 50 });
  const { serial } = gateway;
  const backup = await backUp(gateway.url);
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  await backup.restore();
  await unit.closed;
});
