import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { startBroker } from '../../test/test-broker.ts';
import { isInUse } from '../journal/disk.ts';
import { openJournal } from '../journal/journal.ts';
import { checkServer } from './check-server.ts';

test('the login publishes nothing and leaves no last will', async () => {
  const broker = await startBroker();
  onTestFinished(() => broker.close());

  const findings = await checkServer({ server: broker.server, serial: 'CU-1', secret: 'secret' }, undefined);

  expect(findings.at(-1)).toMatchObject({ what: 'login', verdict: 'ok' });
  expect(broker.received).toEqual([]);
  expect(broker.wills).toBe(0);
});

test('does not log in while an agent has the journal open without answering', async () => {
  const broker = await startBroker();
  const journal = await temporaryFolder();
  onTestFinished(() => broker.close());
  expect(isInUse(journal)).toBe(false);
  const opened = await openJournal(journal);
  expect(isInUse(journal)).toBe(true);
  await opened.close();

  const findings = await checkServer({ server: broker.server, serial: 'CU-1', secret: 'secret' }, 'silent');

  expect(findings.at(-1)).toMatchObject({ what: 'login', verdict: 'fail' });
  expect(broker.connects).toBe(0);
});
