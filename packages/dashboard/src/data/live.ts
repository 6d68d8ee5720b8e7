import { computed, signal } from '@preact/signals';
import * as v from 'valibot';
import { isRefused, RequestError, requestAll } from './calls.ts';
import { clockOffset, serverNow, setClock } from './clock.ts';
import { Completeness, instant, Occupancy } from './shapes.ts';

const OccupancyEvent = v.object({ at: instant, stores: v.array(Occupancy) });
const CompletenessEvent = v.object({ stores: v.array(Completeness) });
const Beat = v.object({ at: instant, fresh: v.boolean() });

/**
 * The live numbers of all stores, and whether they are current. If the connection to the server ends or is silent, it connects
 * again; each connection begins with the numbers of all stores, so no change is missed. Some proxies pass no event on, or
 * refuse the stream: then the numbers are requested again and again, until an event arrives.
 */
export class LiveState {
  readonly #byId = signal<ReadonlyMap<string, Occupancy>>(new Map());
  readonly #begunAt = Date.now();
  readonly #lastEvent = signal<LastEvent>({ at: undefined, fresh: true });
  /** In no order. */
  readonly stores = computed(() => [...this.#byId.value.values()]);
  /** When the server last sent numbers, or reported that they are current (epoch ms). */
  readonly freshAt = signal<number | undefined>(undefined);
  /** Every second, by the clock of this device (epoch ms). */
  readonly #tick = signal(Date.now());
  /** The time of the server (epoch ms). */
  readonly now = computed(() => serverNow(this.#tick.value));
  readonly contact = computed(() => contactOf(this.#lastEvent.value, this.#tick.value, this.#begunAt));
  /** Whether the numbers are requested, because no event arrives. */
  readonly isPolled = signal(false);
  /** The clock of what is shown: it stops while the numbers are old (epoch ms). */
  readonly clock = computed(() => {
    const { value: now } = this.now;
    return this.contact.value === 'live' ? now : (this.freshAt.value ?? now);
  });
  /** The same in minutes, for what can change each minute. */
  readonly minute = computed(() => Math.floor(this.clock.value / 60_000));
  #source: EventSource | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  /** Begins to request the numbers; undefined while events arrive. */
  #silence: ReturnType<typeof setTimeout> | undefined;
  #polling: AbortController | undefined;

  store(sid: string): Occupancy | undefined {
    return this.#byId.value.get(sid);
  }

  /** Listens until the function it returns is called. `onRefused`: the stream is refused, so the session may be over. */
  listen(onRefused: () => void): () => void {
    this.#connect(onRefused);
    const clock = setInterval(() => {
      this.#tick.value = Date.now();
    }, 1_000);
    return () => {
      clearInterval(clock);
      clearTimeout(this.#retry);
      clearTimeout(this.#watchdog);
      this.#endPolling();
      this.#source?.close();
    };
  }

  #connect(onRefused: () => void): void {
    this.#silence ??= setTimeout(() => void this.#poll(onRefused), silence);
    const source = new EventSource('/v1/live');
    /* The browser itself connects again after some errors. */
    let isFirst = true;
    source.onopen = () => {
      isFirst = true;
    };
    const on = <Schema extends v.GenericSchema>(
      event: string,
      schema: Schema,
      receive: (data: v.InferOutput<Schema>) => void,
    ) => source.addEventListener(event, ({ data }) => receive(v.parse(schema, JSON.parse(String(data)))));
    const again = () => {
      source.close();
      clearTimeout(this.#watchdog);
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#connect(onRefused), longestPause * Math.random());
    };
    /* Without this, a socket can remain open for hours after its peer has disappeared. */
    const watch = () => {
      clearTimeout(this.#watchdog);
      this.#watchdog = setTimeout(again, patience);
    };
    const received = (at: string, fresh: boolean) => {
      watch();
      this.#endPolling();
      /* Events may be late, as when a phone wakes: answers are better. */
      if (clockOffset() === undefined) setClock(Date.parse(at), Date.now());
      this.#received(fresh);
    };
    this.#source = source;
    watch();
    on('occupancy', OccupancyEvent, ({ at, stores }) => {
      this.#show(stores, isFirst);
      isFirst = false;
      received(at, true);
    });
    on('completeness', CompletenessEvent, ({ stores }) => this.#complete(stores));
    on('beat', Beat, ({ at, fresh }) => received(at, fresh));
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      onRefused();
      again();
    };
  }

  /** Requests the numbers of all stores until the stream brings an event. */
  async #poll(onRefused: () => void): Promise<void> {
    const polling = new AbortController();
    this.#polling = polling;
    while (!polling.signal.aborted) {
      const answer = await requestAll('/v1/occupancy', Occupancy).catch((error: unknown) => ({ error }));
      if (polling.signal.aborted) return;
      if ('error' in answer) {
        if (isRefused(answer.error)) onRefused();
        if (answer.error instanceof RequestError && answer.error.status === 503) {
          this.#received(false);
        }
      } else {
        this.isPolled.value = true;
        this.#show(answer, true);
        this.#received(true);
      }
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  }

  #endPolling(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#polling?.abort();
    this.isPolled.value = false;
  }

  /** `areAll`: a store that is not among them does not exist any more, or the user may not see it. */
  #show(stores: readonly Occupancy[], areAll: boolean): void {
    const before = areAll ? [] : this.#byId.value;
    this.#byId.value = new Map([...before, ...stores.map((one) => [one.store, one] as const)]);
  }

  #complete(changed: readonly v.InferOutput<typeof Completeness>[]): void {
    const next = new Map(this.#byId.value);
    for (const one of changed) {
      const known = next.get(one.store);
      if (known) next.set(one.store, { ...known, ...one });
    }
    this.#byId.value = next;
  }

  #received(fresh: boolean): void {
    const at = Date.now();
    this.#tick.value = at;
    this.#lastEvent.value = { at, fresh };
    if (fresh) this.freshAt.value = serverNow(at);
  }
}

/**
 * Whether the numbers on the page are current.
 *
 * `connecting`: no event yet, which is normal at the beginning. `live`: they are current. `stale`: the server answers, but its
 * database is unavailable. `lost`: no recent event, and no answer instead. The page shows every state except `live` clearly.
 */
type Contact = 'connecting' | 'live' | 'stale' | 'lost';

/** The last event of the stream, or the last answer instead of it. Times in ms of one clock. */
interface LastEvent {
  readonly at: number | undefined;
  readonly fresh: boolean;
}

/** Three beats of the server, which come every five seconds (ms). */
export const patience = 15_000;

/** `begunAt`: when the page began to listen. */
export function contactOf({ at, fresh }: LastEvent, now: number, begunAt: number): Contact {
  if (now - (at ?? begunAt) > patience) return 'lost';
  if (at === undefined) return 'connecting';
  return fresh ? 'live' : 'stale';
}

/** After so long without an event, the numbers are requested (ms), and again so long after each answer. */
const [silence, interval] = [5_000, 5_000];

/** The longest pause before an attempt to reconnect (ms). It is random, so that not all pages return at once. */
const longestPause = 10_000;
