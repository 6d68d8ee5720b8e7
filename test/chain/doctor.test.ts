import { checkServer } from '@visitor-counter/agent/doctor/check-server';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { oneDoor } from '@visitor-counter/test/one-door';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';

test('the doctor logs in and does not change the state of the unit on the server', async () => {
  const { url, rows } = await oneDoor();
  const gateway = await startGatewayProcess(url);
  const port = Number(gateway.ready['mqttPort']);
  const state = async () =>
    (
      await rows.query(
        `select heartbeat::text, heartbeat_at, last_activity_at, online, online_changed_at from device_state`,
      )
    )[0];
  const unit = await connectUnit({ port, serial: 'CU-1' });
  await unit.publish('status', 'online', { retain: true });
  await unit.publish('heartbeat', '{"at":1,"journal":"j","recorded":9,"acknowledged":4}');
  await unit.client.endAsync();
  await expect.poll(state).toMatchObject({ online: false });
  const before = await state();

  const account = { server: `mqtt://127.0.0.1:${port}`, serial: 'CU-1', secret: 'secret of CU-1' };
  const findings = await checkServer(account, undefined);

  expect(findings.map(({ what, verdict }) => [what, verdict])).toEqual([
    ['server name', 'ok'],
    ['server port', 'ok'],
    ['login', 'ok'],
  ]);
  /* The gateway writes its collected device states when it stops. */
  await gateway.stop();
  expect(await state()).toEqual(before);
});
