import { computed, signal } from '@preact/signals';
import * as v from 'valibot';
import { Completeness, instant, Occupancy } from './shapes.ts';

/** The live numbers of all stores, and whether they are current. */
export function createLiveState() {
  const byId = signal<ReadonlyMap<string, Occupancy>>(new Map());
  const lastEvent = signal<LastEvent>({ at: undefined, fresh: true });
  const freshAt = signal<number | undefined>(undefined);
  /* Its clock is that of the server: those of phones and screens can be wrong by hours. */
  let ahead = 0;
  const serverTime = () => Date.now() + ahead;
  const now = signal(Date.now());
  const stores = computed(() => [...byId.value.values()]);
  const contact = computed(() => contactOf(lastEvent.value, now.value));
  return {
    /** In no order. */
    stores,
    contact,
    /** When the server last sent numbers, or reported that they are current (epoch ms). */
    freshAt,
    /** The time by the clock of the server (epoch ms). Before its first event it is that of the browser. */
    serverTime,
    /** The same, ticking every second. */
    now,
    /** The clock of what is shown: it stops while the numbers are old (epoch ms). */
    clock: computed(() => (contact.value === 'live' ? now.value : (freshAt.value ?? now.value))),
    store: (sid: string) => byId.value.get(sid),
    /** Listens until the function it returns is called. */
    listen: (onRefused: () => void) => {
      const stream = openLiveStream({
        onRefused,
        onOccupancy: (changed) => {
          byId.value = new Map([...byId.value, ...changed.map((store) => [store.store, store] as const)]);
        },
        onCompleteness: (changed) => {
          const next = new Map(byId.value);
          for (const one of changed) {
            const known = next.get(one.store);
            if (known) next.set(one.store, { ...known, ...one });
          }
          byId.value = next;
        },
        onEvent: (at, fresh) => {
          ahead = at - Date.now();
          now.value = at;
          lastEvent.value = { at, fresh };
          if (fresh) freshAt.value = at;
        },
      });
      const clock = setInterval(() => {
        now.value = serverTime();
      }, 1_000);
      return () => {
        clearInterval(clock);
        stream.close();
      };
    },
  };
}

export type LiveState = ReturnType<typeof createLiveState>;

const OccupancyEvent = v.object({ at: instant, stores: v.array(Occupancy) });
const CompletenessEvent = v.object({ stores: v.array(Completeness) });
const Beat = v.object({ at: instant, fresh: v.boolean() });

/**
 * Listens to the server until it is closed. If the connection ends or is silent, it connects again; each connection
 * begins with the numbers of all stores, so no change is missed.
 */
function openLiveStream(listener: {
  /** Receives the occupancy of stores: first of all, then of those that changed. */
  readonly onOccupancy: (stores: readonly Occupancy[]) => void;
  readonly onCompleteness: (stores: readonly v.InferOutput<typeof Completeness>[]) => void;
  /** Called at each event of the server, with its time (epoch ms); `fresh` is false while its numbers are old. */
  readonly onEvent: (at: number, fresh: boolean) => void;
  /** Called when the stream is refused: the session may be over. */
  readonly onRefused: () => void;
}): { close: () => void } {
  let source: EventSource;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  connect();
  return {
    close: () => {
      clearTimeout(retry);
      clearTimeout(watchdog);
      source.close();
    },
  };

  function connect(): void {
    source = new EventSource('/v1/live');
    watch();
    on('occupancy', OccupancyEvent, ({ at, stores }) => {
      listener.onOccupancy(stores);
      received(at, true);
    });
    on('completeness', CompletenessEvent, ({ stores }) => listener.onCompleteness(stores));
    on('beat', Beat, ({ at, fresh }) => received(at, fresh));
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      listener.onRefused();
      again();
    };
  }

  function on<Schema extends v.GenericSchema>(
    event: string,
    schema: Schema,
    take: (data: v.InferOutput<Schema>) => void,
  ): void {
    source.addEventListener(event, ({ data }) => take(v.parse(schema, JSON.parse(String(data)))));
  }

  function received(at: string, fresh: boolean): void {
    attempt = 0;
    watch();
    listener.onEvent(Date.parse(at), fresh);
  }

  /** Without this, a socket can remain open for hours after its peer has disappeared. */
  function watch(): void {
    clearTimeout(watchdog);
    watchdog = setTimeout(again, patience);
  }

  function again(): void {
    source.close();
    clearTimeout(watchdog);
    clearTimeout(retry);
    attempt += 1;
    retry = setTimeout(connect, pauseBefore(attempt, Math.random()));
  }
}

/**
 * Whether the numbers on the page are current.
 *
 * `connecting`: no event yet. `live`: they are current. `stale`: the server answers, but its database is unavailable.
 * `lost`: no recent event. The page shows every state except `live` clearly.
 */
export type Contact = 'connecting' | 'live' | 'stale' | 'lost';

/** The last event of the stream. Times in ms of one clock. */
interface LastEvent {
  readonly at: number | undefined;
  readonly fresh: boolean;
}

/** Three beats of the server, which come every five seconds (ms). */
export const patience = 15_000;

export function contactOf({ at, fresh }: LastEvent, now: number): Contact {
  if (at === undefined) return 'connecting';
  if (now - at > patience) return 'lost';
  return fresh ? 'live' : 'stale';
}

/** ms */
const firstPause = 1_000;
const longestPause = 30_000;

/** The pause before the n-th attempt (from 1) to reconnect (ms): random, up to a limit that doubles. */
export function pauseBefore(attempt: number, random: number): number {
  return Math.round(Math.min(firstPause * 2 ** attempt, longestPause) * random);
}
