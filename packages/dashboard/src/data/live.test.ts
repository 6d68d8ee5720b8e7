import { expect, onTestFinished, test, vi } from 'vitest';
import { serverNow } from './clock.ts';
import { contactOf, LiveState, patience } from './live.ts';

test('shows numbers as live only after a recent event that reports them as fresh', () => {
  expect(contactOf({ at: 0, fresh: true }, patience, 0)).toBe('live');
  expect(contactOf({ at: 0, fresh: false }, patience, 0)).toBe('stale');
  expect(contactOf({ at: 0, fresh: true }, patience + 1, 0)).toBe('lost');
  expect(contactOf({ at: 0, fresh: false }, patience + 1, 0)).toBe('lost');
});

test('is connecting only for a while after the page has begun to listen', () => {
  expect(contactOf({ at: undefined, fresh: true }, 1_000 + patience, 1_000)).toBe('connecting');
  expect(contactOf({ at: undefined, fresh: true }, 1_001 + patience, 1_000)).toBe('lost');
});

/** A stream like one behind a proxy that buffers it: an event arrives only when the test sends it. */
class Stream extends EventTarget {
  static latest: Stream;
  readonly readyState = 1;
  onerror: (() => void) | undefined;
  onopen: (() => void) | undefined;

  constructor() {
    super();
    Stream.latest = this;
  }

  close(): void {}

  bring(event: string, data: object): void {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
  }
}

/** A server with one store, whose number rises with every request, and whose clock is an hour ahead. */
function listen() {
  const served = { status: 200, occupancy: 0, requests: 0 };
  const clock = () => new Date(Date.now() + 3_600_000);
  const storeNow = (sid = 'S-1') => ({
    ...{ store: sid, name: 'Main Street', occupancy: served.occupancy, capacity: null },
    ...{
      lastChangeAt: clock().toISOString(),
      day: { date: '2026-11-26', start: '2026-11-26T00:00:00.000Z' },
      completeUntil: null,
      obstacles: [],
    },
  });
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.1);
  vi.stubGlobal('EventSource', Object.assign(Stream, { CLOSED: 2 }));
  vi.stubGlobal('location', { href: 'http://localhost/' });
  vi.stubGlobal('fetch', async (url: string) => {
    const isNumbers = url.endsWith('/v1/occupancy');
    if (isNumbers) {
      served.requests += 1;
      served.occupancy += 1;
    }
    const headers = { date: clock().toUTCString() };
    return Response.json(isNumbers ? { items: [storeNow()] } : {}, { status: served.status, headers });
  });
  const live = new LiveState();
  const end = live.listen(() => {});
  onTestFinished(() => {
    end();
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
  return { live, served, clock, storeNow };
}

test('requests the numbers while no event of the stream arrives, and no longer once one does', async () => {
  const { live, served, clock, storeNow } = listen();
  await vi.advanceTimersByTimeAsync(4_900);
  expect([live.contact.value, served.requests]).toEqual(['connecting', 0]);
  await vi.advanceTimersByTimeAsync(200);
  expect([live.contact.value, live.isPolled.value]).toEqual(['live', true]);
  expect(live.store('S-1')?.occupancy).toBe(1);
  expect(Math.abs(serverNow() - clock().getTime())).toBeLessThan(1_000);
  for (let seconds = 0; seconds < 60; seconds += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    expect(live.contact.value).toBe('live');
  }
  expect(live.store('S-1')?.occupancy).toBe(13);

  served.occupancy = 70;
  Stream.latest.bring('occupancy', { at: clock().toISOString(), stores: [storeNow()] });
  const { requests } = served;
  await vi.advanceTimersByTimeAsync(14_000);
  expect([live.isPolled.value, live.store('S-1')?.occupancy, served.requests]).toEqual([false, 70, requests]);
});

test('shows a store no longer that is missing when the stream connects again', () => {
  const { live, clock, storeNow } = listen();
  const bring = (...sids: string[]) =>
    Stream.latest.bring('occupancy', { at: clock().toISOString(), stores: sids.map(storeNow) });
  const shown = () => live.stores.value.map(({ store }) => store);
  bring('S-1', 'S-2');
  bring('S-2');
  expect(shown()).toEqual(['S-1', 'S-2']);
  Stream.latest.onopen?.();
  bring('S-2');
  expect(shown()).toEqual(['S-2']);
});

test('reports that the server cannot read its data, and that it cannot be reached, if no event arrives', async () => {
  const { live, served } = listen();
  served.status = 503;
  await vi.advanceTimersByTimeAsync(5_100);
  expect([live.contact.value, live.isPolled.value]).toEqual(['stale', false]);
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(live.contact.value).toBe('lost');
});
