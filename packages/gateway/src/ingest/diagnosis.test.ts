import { readDiagnoses } from '@visitor-counter/database/devices/device-states';
import { connected } from '@visitor-counter/test/connected';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { sharedGateway } from '../../test/test-gateway.ts';

const aGateway = sharedGateway();

/** A connected unit, and its stored diagnoses after the PUBACK. */
async function unitToDiagnose() {
  const gateway = await aGateway();
  const { url, mqttPort: port, serial, deviceId, seed } = gateway;
  const { kysely } = connected(url);
  const unit = await connectUnit({ port, serial });
  /** Makes these the only commands. */
  const order = async (...ids: number[]) => {
    await seed.query('delete from device_command');
    await seed.query(
      `insert into device_command (id, device_id, command, expires_at)
       select id, $1, '{"command":"diagnose"}', now() from unnest($2::bigint[]) id`,
      [deviceId, ids],
    );
  };
  const send = (id: number, parts: object = {}) =>
    unit.publish(
      'diagnosis',
      JSON.stringify({ id, at: 1, findings: [], log: [`log of ${id}`], omitted: 0, ...parts }),
    );
  const stored = () => readDiagnoses(kysely, deviceId);
  return { ...gateway, unit, order, send, stored, rows: seed };
}

test('stores diagnoses with their commands before it acknowledges them, and shows the last three', async () => {
  const { order, send, stored } = await unitToDiagnose();
  await order(2 ** 48, 5, 9, 7);
  await send(11);
  for (const id of [2 ** 48, 5, 9, 7]) await send(id);
  expect((await stored()).map(({ commandId }) => commandId)).toEqual([7, 9, 5]);
  await send(5, { log: ['again'] });
  const diagnoses = await stored();
  expect(diagnoses.map(({ commandId }) => commandId)).toEqual([5, 7, 9]);
  expect(diagnoses[0]?.report).toEqual({ at: 1, findings: [], log: ['again'], omitted: 0 });
});

test('stores an invalid diagnosis as a rejected message, and none for another device', async () => {
  const { unit, stored, serial, other, deviceId, rows, mqttPort: port } = await unitToDiagnose();
  await unit.publish('diagnosis', '{"id":1}');
  expect(await stored()).toEqual([]);
  expect(
    await rows.query('select topic, reason from rejected_message where device_id = $1', [deviceId]),
  ).toMatchObject([{ topic: `counter/v1/${serial}/diagnosis`, reason: expect.stringMatching(/^malformed/) }]);
  const otherUnit = await connectUnit({ port, serial: other });
  otherUnit.client.publish(`counter/v1/${serial}/diagnosis`, '{}', { qos: 1 });
  await otherUnit.closed;
  expect(await stored()).toEqual([]);
});
