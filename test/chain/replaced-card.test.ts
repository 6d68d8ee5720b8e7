import { runAdmin } from '@visitor-counter/test/admin';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { oneDoor } from '@visitor-counter/test/one-door';
import { startService } from '@visitor-counter/test/service-process';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';

const began = Date.now() - 3_600_000;
const entries = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => [began + (first + index) * 1_000, 1]);

/** A unit with 20 of 30 crossings pending that then begins another journal, and what `/v1` says about its store. */
async function unitWithPending() {
  const { url, rows, companyId } = await oneDoor();
  await rows.credential({ companyId, kind: 'counts', value: 'token-of-the-company' });
  const gateway = await startGatewayProcess(url);
  const api = await startService('api', [], { DATABASE_URL: url, HTTP_PORT: '0', METRICS_PORT: '0' });
  onTestFinished(() => api.kill());
  const unit = await connectUnit({ port: Number(gateway.ready['mqttPort']), serial: 'CU-1' });
  const report = (journal: string, recorded: number, acknowledged: number, other: object = {}) =>
    unit.publish(
      'heartbeat',
      JSON.stringify({ at: Date.now(), journal, recorded, acknowledged, clock: 'synced', ...other }),
    );
  const state = async () => {
    const answer = await fetch(`http://127.0.0.1:${api.ready['httpPort']}/v1/occupancy`, {
      headers: { authorization: 'Bearer token-of-the-company' },
    });
    const { completeUntil, obstacles } = Object(await answer.json()).items[0];
    const gaps = obstacles.filter(({ kind }: { kind: string }) => /pending|missing|lost/.test(kind));
    return {
      completeUntil,
      gaps: gaps.map(({ kind, count }: { kind: string; count: number }) => `${kind} ${count}`),
    };
  };
  await unit.crossings('old', 1, entries(1, 10));
  await report('old', 30, 10);
  await expect.poll(state).toMatchObject({ gaps: ['pending 20'] });
  const recorded = () => rows.query('select recorded::integer from journal');
  await expect.poll(recorded).toEqual([{ recorded: 30 }]);
  return { url, unit, report, state };
}

test('a store lacks what a replaced card has not delivered, until the card delivers it', async () => {
  const { unit, report, state } = await unitWithPending();
  await report('new', 0, 0);
  const completeUntil = new Date(began + 10_000).toISOString().replace('Z', '+00:00');
  await expect.poll(state).toEqual({ completeUntil, gaps: ['missing 20'] });

  await report('new', 0, 0);
  expect(await state()).toEqual({ completeUntil, gaps: ['missing 20'] });
  await unit.crossings('old', 11, entries(11, 20));

  await expect.poll(state).toMatchObject({ gaps: [] });
});

test('a store lacks what a replaced card has not delivered, until an operator declares it lost', async () => {
  const { url, report, state } = await unitWithPending();
  await report('new', 0, 0);
  await expect.poll(state).toMatchObject({ gaps: ['missing 20'] });

  const args = ['crossings', 'declare-lost', '--device', 'CU-1', '--yes', '--json'];
  const out = await runAdmin(args, { DATABASE_URL: url });

  expect(JSON.parse(out)).toEqual([{ journal: 'old', lost: 20 }]);
  await report('new', 0, 0);
  await expect.poll(state).toMatchObject({ gaps: ['lost 20'] });
});

test('a store lacks what its unit has not delivered of a journal that has ended', async () => {
  const { unit, report, state } = await unitWithPending();
  const volatile = { journal: 'old', recorded: 30, acknowledged: 10 };
  await report('new', 0, 0, { volatile });
  await expect.poll(state).toMatchObject({ completeUntil: null, gaps: ['pending 20'] });

  await unit.crossings('old', 11, entries(11, 20));
  await report('new', 0, 0, { volatile: { ...volatile, acknowledged: 30 } });

  await expect.poll(state).toMatchObject({ completeUntil: expect.any(String), gaps: [] });
});
