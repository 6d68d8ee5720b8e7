import { judgeDirections } from '@visitor-counter/database/occupancy/judge-directions';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { startTestGateway } from '../../test/test-gateway.ts';

const hour = 3_600_000;
/** The middle of a day of UTC, so that all crossings of a test are of one business day. */
const noon = Math.floor(Date.now() / (24 * hour)) * 24 * hour - 12 * hour;

const people = (from: number, count: number, direction: 1 | -1) =>
  Array.from({ length: count }, (_, index) => [from + index * 1_000, direction]);

async function world() {
  const gateway = await startTestGateway();
  const database = connected(gateway.url, 1);
  const doubtful = async () =>
    (
      await gateway.seed.query(
        'select serial from device where direction_doubtful_since is not null order by serial',
      )
    ).map(({ serial }) => serial);
  const judge = async (now: number) => {
    await projected(gateway.url);
    await judgeDirections(database.kysely, now);
  };
  return { ...gateway, judge, doubtful };
}

test('suspects no device of a store that counts in the right direction, and ends a suspicion on the first good morning', async () => {
  const { mqttPort: port, serial, other, otherId, seed, companyId, judge, doubtful } = await world();
  await seed.move(otherId, await seed.store({ companyId, sid: 'S-2' }), 0);
  const swapped = await connectUnit({ port, serial });
  const good = await connectUnit({ port, serial: other });
  await swapped.crossings('j', 1, [...people(noon, 60, -1), ...people(noon + hour, 55, 1)]);
  await good.crossings('j', 1, [...people(noon, 60, 1), ...people(noon + hour, 75, -1)]);
  await judge(noon + 2 * hour);
  expect(await doubtful()).toEqual([serial]);

  await judge(noon + 26 * hour);
  expect(await doubtful()).toEqual([serial]);
  await swapped.crossings('j', 116, people(noon + 26 * hour, 15, 1));
  await judge(noon + 27 * hour);
  expect(await doubtful()).toEqual([]);
});

test('suspects the door of a store with several doors through which people only go out', async () => {
  const { mqttPort: port, serial, other, judge, doubtful } = await world();
  const [one, two] = [await connectUnit({ port, serial }), await connectUnit({ port, serial: other })];
  await one.crossings('j', 1, people(noon, 40, -1));
  await two.crossings('j', 1, people(noon, 8, 1));
  await judge(noon + hour);
  expect(await doubtful()).toEqual([serial]);
});
