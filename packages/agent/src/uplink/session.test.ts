import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, onTestFinished, test } from 'vitest';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import { startBroker } from '../../test/test-broker.ts';
import { openJournal } from '../journal/open-journal.ts';
import { connect } from './connect.ts';
import { Session } from './session.ts';
import { defaultUplinkSettings as settings } from './uplink-settings.ts';

/** Frees memory that nothing refers to. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

test('keeps nothing of a message that is acknowledged', async () => {
  const broker = await startBroker();
  onTestFinished(() => broker.close());
  const journal = await openJournal('/', { files: memoryFileSystem(new Map()) });
  onTestFinished(() => journal.close());
  const account = { server: broker.server, serial: 'CU-1', secret: 'secret' };
  const client = await connect(account, settings, new AbortController().signal);
  onTestFinished(() => void client.end(true));
  const session = new Session(client, {
    account,
    journal,
    settings,
    heartbeat: () => ({ at: 0 }),
    onTime: () => {},
    handlers: {},
    log: createLogger('test', { LOG_LEVEL: 'silent' }),
    onRefused: () => {},
  });
  onTestFinished(() => session.abandon());
  const send = async () => {
    const answer = session.send('diagnosis', '{}');
    expect(await answer).toBe(true);
    return new WeakRef(answer);
  };

  const answer = await send();

  const found = () => {
    collectGarbage();
    return answer.deref();
  };
  await expect.poll(found).toBeUndefined();
});
