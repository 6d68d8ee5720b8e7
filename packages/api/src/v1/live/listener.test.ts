import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Caller } from '../../access/callers.ts';
import { Listener } from './listener.ts';

const caller: Caller = {
  companyId: 1,
  company: 'Acme',
  storeIds: null,
  credentialId: 1,
  kind: 'staff',
  label: 'till',
  maySettings: false,
  expiresAt: null,
  session: null,
  companyKey: 'acme',
  by: 'credential',
  hash: Buffer.alloc(32),
};

/** A stream whose client reads one write for each call of `take`. */
function slowClient() {
  const received: string[] = [];
  let done: (() => void) | undefined;
  const response = new Writable({
    highWaterMark: 16,
    write: (chunk: Buffer, _, callback) => {
      received.push(chunk.toString());
      done = callback;
    },
  });
  const take = async () => {
    const callback = done;
    done = undefined;
    callback?.();
    await new Promise(setImmediate);
  };
  return { response, received, take };
}

test('sends an event that is larger than every buffer once', async () => {
  const { response, received, take } = slowClient();
  const event = Buffer.alloc(200_000, 'x');
  const listener = new Listener({ caller, response, latest: () => event, onError: () => {} });
  listener.catchUp();
  for (let n = 0; n < 5; n += 1) await take();
  expect(received).toHaveLength(1);
});

test('has one event in flight at most, and then sends the latest state once', async () => {
  const { response, received, take } = slowClient();
  let state = 0;
  const latest = () => Buffer.from(`state ${state}`);
  const listener = new Listener({ caller, response, latest, onError: () => {} });
  listener.catchUp();
  for (state = 1; state <= 1_000; state += 1) {
    listener.update(Buffer.from(`changed to ${state}`));
    listener.beat(Buffer.from('beat'));
    listener.catchUp();
    expect(response.writableLength).toBeLessThan(16);
  }
  for (let n = 0; n < 5; n += 1) await take();
  listener.update(Buffer.from('one more'));
  expect(received).toEqual(['state 0', 'state 1001', 'one more']);
});

test('sends beats but no changes before the first state', async () => {
  const { response, received, take } = slowClient();
  let state: string | undefined;
  const latest = () => (state === undefined ? undefined : Buffer.from(state));
  const listener = new Listener({ caller, response, latest, onError: () => {} });
  listener.catchUp();
  listener.update(Buffer.from('a change'));
  listener.beat(Buffer.from('beat'));
  state = 'the state';
  for (let n = 0; n < 3; n += 1) await take();
  expect(received).toEqual(['beat', 'the state']);
});

test('reports errors of the state instead of throwing them, also after a write', async () => {
  const { response, take } = slowClient();
  const failures: unknown[] = [];
  let isBroken = false;
  const latest = () => {
    if (isBroken) throw new RangeError('Invalid time value');
    return Buffer.from('state');
  };
  const onError = (failed: Listener, error: unknown) => {
    failures.push(error);
    failed.end({ retry: true });
  };
  const listener = new Listener({ caller, response, latest, onError });
  listener.catchUp();
  isBroken = true;
  listener.update(Buffer.from('a change'));
  for (let n = 0; n < 3; n += 1) await take();
  expect(failures).toEqual([new RangeError('Invalid time value')]);
  expect(response.writableEnded).toBe(true);
});

test('disconnects a client that does not read when its stream ends, and writes nothing to a closed one', async () => {
  const slow = slowClient();
  const options = { caller, latest: () => Buffer.from('state'), onError: () => {} };
  const listener = new Listener({ ...options, response: slow.response });
  listener.catchUp();
  listener.end();
  expect(slow.response.destroyed).toBe(true);

  const gone = slowClient();
  gone.response.destroy(new Error('ECONNRESET'));
  const late = new Listener({ ...options, response: gone.response });
  late.catchUp();
  late.beat(Buffer.from('beat'));
  await new Promise(setImmediate);
  late.update(Buffer.from('a change'));
  expect(gone.received).toEqual([]);
});
