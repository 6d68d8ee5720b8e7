import { occupancies } from '@visitor-counter/database/occupancy/projected-days';
import { connect } from '@visitor-counter/database/sql/connect';
import { projected } from '@visitor-counter/test/projected';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';
import { at, type Entry } from '../../test/crossings.ts';
import { startOn, startTestGateway } from '../../test/test-gateway.ts';

test('computes the right occupancy when two gateways write one store concurrently, in any order and repeatedly', async () => {
  const { url, mqttPort, serial, other, storeId } = await startTestGateway();
  const second = await startOn(url);
  const units = await Promise.all([
    connectUnit({ port: mqttPort, serial }),
    connectUnit({ port: second.mqttPort, serial: other }),
  ]);
  const sent = units.map((_, unit) =>
    Array.from({ length: 400 }, (_entry, n): Entry => [at + n * 9_000 + unit, (n + unit) % 7 < 3 ? -1 : 1]),
  );
  const starts = Array.from({ length: 80 }, (_, n) => ((n * 37) % 80) * 5);
  await Promise.all(
    units.flatMap((unit, n) =>
      [...starts, ...starts.slice(0, 20)].map((start) =>
        unit.crossings('j', start + 1, sent[n]?.slice(start, start + 5) ?? []),
      ),
    ),
  );

  await projected(url);
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  const inOrder = sent.flat().toSorted((a, b) => a[0] - b[0]);
  for (const now of [at + 1_000_000, at + 2_222_222, at + 4_000_000]) {
    const until = inOrder.filter(([instant]) => instant <= now);
    const occupancy = until.reduce((inside, [, direction]) => Math.max(0, inside + direction), 0);
    expect(await occupancies(database.kysely, [{ storeId, date: '2026-11-20', start: at }], now)).toEqual([
      { occupancy, latest: until.at(-1)?.[0] },
    ]);
  }
});
