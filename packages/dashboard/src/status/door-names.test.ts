import { expect, onTestFinished, test, vi } from 'vitest';
import { doorOf } from './door-names.ts';

const device = (serial: string, name: string) => ({
  ...{ serial, name, store: 'S-1', online: true, lastActivityAt: null, version: null, pending: null },
  ...{ obstacles: [], audit: null },
});

test('requests the names of many doors once, and again half a minute after a failure', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let requests = 0;
  let status = 503;
  vi.stubGlobal('location', { href: 'http://localhost/' });
  vi.stubGlobal('fetch', async () => {
    requests += 1;
    return Response.json({ items: [device('CU-1', 'Front'), device('CU-2', 'CU-2')] }, { status });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const names = () => ['CU-1', 'CU-2', 'CU-3', undefined].map(doorOf);

  expect(names()).toEqual([undefined, undefined, undefined, undefined]);
  expect(names()).toHaveLength(4);
  expect(requests).toBe(1);
  status = 200;
  await vi.advanceTimersByTimeAsync(29_000);
  expect(names()).toHaveLength(4);
  expect(requests).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(names()).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(1);
  expect(names()).toEqual(['Front', undefined, undefined, undefined]);
  expect(requests).toBe(2);
});
