import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Caller } from '../v1/caller.ts';
import { Listener } from './listener.ts';

const caller: Caller = {
  ...{ companyId: 1, company: 'Acme', storeIds: null, credentialId: 1, kind: 'staff', label: 'till' },
  ...{ expiresAt: null, proof: { by: 'credential', hash: Buffer.alloc(32) } },
};

test('keeps one event at most for a reader who does not read, and then tells the latest numbers', async () => {
  const read: string[] = [];
  let takeOn = () => {};
  const reader = new Writable({
    highWaterMark: 16,
    write: (chunk: Buffer, _, done) => {
      read.push(chunk.toString());
      takeOn = done;
    },
  });
  let number = 0;
  const listener = new Listener(caller, reader, () => Buffer.from(`latest ${number}`));

  listener.begin();
  for (number = 1; number <= 1_000; number += 1)
    listener.send(Buffer.from(`the number is ${number}, changed`));
  expect(reader.writableLength).toBeLessThan(64);
  for (const taken of [2, 3]) {
    takeOn();
    await expect.poll(() => read.length).toBe(taken);
  }
  takeOn();
  await expect.poll(() => reader.writableLength).toBe(0);
  listener.send(Buffer.from('on'));

  expect(read).toEqual(['latest 0', 'the number is 1, changed', 'latest 1001', 'on']);
});
