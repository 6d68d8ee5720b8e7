import * as v from 'valibot';
import { Health, Occupancy } from '../api/shapes.ts';
import { patience, pauseBefore } from './contact.ts';

export interface LiveListener {
  /** Occupancy of stores: first of all, then of those that changed. */
  onOccupancy(stores: readonly Occupancy[]): void;
  onHealth(stores: readonly v.InferOutput<typeof Health>[]): void;
  /** The server sent an event; `fresh` is false while its numbers are old. */
  onEvent(fresh: boolean): void;
  /** The stream was refused: the session may be over. */
  onRefused(): void;
}

const OccupancyEvent = v.object({ stores: v.array(Occupancy) });
const HealthEvent = v.object({ stores: v.array(Health) });
const Beat = v.object({ fresh: v.boolean() });

/**
 * Listens to the server until it is closed. If the connection ends or is silent, it connects again; each connection
 * begins with the numbers of all stores, so no change is missed.
 */
export function openLiveStream(listener: LiveListener): { close: () => void } {
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
    on('occupancy', OccupancyEvent, ({ stores }) => {
      listener.onOccupancy(stores);
      received(true);
    });
    on('health', HealthEvent, ({ stores }) => listener.onHealth(stores));
    on('beat', Beat, ({ fresh }) => received(fresh));
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

  function received(fresh: boolean): void {
    attempt = 0;
    watch();
    listener.onEvent(fresh);
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
