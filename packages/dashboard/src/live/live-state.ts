import { computed, signal } from '@preact/signals';
import type { Occupancy } from '../api/shapes.ts';
import { contactOf, type LastEvent } from './contact.ts';
import { openLiveStream } from './live-stream.ts';

/** The live numbers of all stores, and whether they are current. */
export function createLiveState() {
  const byId = signal<ReadonlyMap<string, Occupancy>>(new Map());
  const lastEvent = signal<LastEvent>({ at: undefined, fresh: true });
  const now = signal(Date.now());
  const stores = computed(() => [...byId.value.values()].toSorted((a, b) => a.name.localeCompare(b.name)));
  const contact = computed(() => contactOf(lastEvent.value, now.value));
  return {
    /** By name. */
    stores,
    contact,
    /** When the server sent the last event (epoch ms). */
    lastEventAt: computed(() => lastEvent.value.at),
    /** A clock of the page that ticks every second (epoch ms). */
    now,
    store: (sid: string) => byId.value.get(sid),
    /** Listens until the function it returns is called. */
    listen: (onRefused: () => void) => {
      const stream = openLiveStream({
        onRefused,
        onOccupancy: (changed) => {
          byId.value = new Map([...byId.value, ...changed.map((store) => [store.store, store] as const)]);
        },
        onHealth: (changed) => {
          const next = new Map(byId.value);
          for (const health of changed) {
            const known = next.get(health.store);
            if (known) next.set(health.store, { ...known, ...health });
          }
          byId.value = next;
        },
        onEvent: (fresh) => {
          lastEvent.value = { at: Date.now(), fresh };
        },
      });
      const clock = setInterval(() => {
        now.value = Date.now();
      }, 1_000);
      return () => {
        clearInterval(clock);
        stream.close();
      };
    },
  };
}

export type LiveState = ReturnType<typeof createLiveState>;
