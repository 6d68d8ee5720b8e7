import { seed } from '@visitor-counter/test/seed';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { startAlertStack } from '../alerts/alert-stack.ts';
import { incidents } from '../alerts/incidents.ts';
import { runRound } from '../alerts/run-round.ts';

/** The delay that the product promises (ms). */
const promised = 10_000;

test('notifies of each incident and of its end within ten seconds, whichever process is killed then', async () => {
  const folder = await temporaryFolder();
  const stack = await startAlertStack(folder);
  onTestFinished(() => stack.stop());

  const late = await runRound(stack, {
    raising: [
      { victim: 'alerts', behind: -700 },
      { victim: 'api', behind: 0 },
    ],
    clearing: [
      { victim: 'postgres', behind: 300 },
      { victim: 'gateway', behind: 0 },
    ],
  });

  expect(late).toHaveLength(4 * Object.keys(incidents).length);
  expect(late.filter((one) => one.late > promised)).toEqual([]);
  const alerts = await seed(stack.databaseUrl).query(
    `select alert.id, name, cleared_at is not null as over from alert
     join company on company.id = company_id order by name`,
  );
  expect(alerts).toMatchObject(
    Object.keys(incidents)
      .toSorted()
      .map((name) => ({ name, over: true })),
  );
  for (const { id, name } of alerts) expect(await stack.listed(String(name), 'over')).toEqual([id]);
  const { received, refused } = stack.sinks;
  expect(refused).toEqual([]);
  expect(new Set(received.map(({ alert }) => alert))).toEqual(new Set(alerts.map(({ id }) => id)));
  expect(stack.ends()).toEqual([]);
});
