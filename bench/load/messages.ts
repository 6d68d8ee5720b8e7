import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { encodeHeartbeat } from '@visitor-counter/wire/heartbeat-message';

/** A random journal id. */
const journal = '5a1f3c0e9b7d48265a1f3c0e9b7d4826';

/** The interval of pending crossings (ms), as at a busy door. */
const backlogInterval = 10_000;

/**
 * Writes the messages of one unit, with entries and exits in turn. With `since` (epoch ms) the crossings are pending ones
 * from that instant on; without, every crossing happens when its message is written.
 */
export function crossingsWriter(crossingsPerMessage: number, since: number | undefined): () => string {
  let first = 1;
  return () => {
    const now = Date.now();
    const crossings = Array.from({ length: crossingsPerMessage }, (_, offset) => {
      const sequence = first + offset;
      const at = since === undefined ? now : since + sequence * backlogInterval;
      return { at, direction: sequence % 2 === 0 ? (-1 as const) : (1 as const) };
    });
    const payload = encodeCrossings({ journal, first, crossings });
    first += crossingsPerMessage;
    return payload;
  };
}

/** A heartbeat of ordinary size. */
export function heartbeat(): string {
  const at = Date.now();
  return encodeHeartbeat({
    at,
    uptime: 86_400,
    version: '1.0.0',
    journal,
    recorded: 1_000,
    acknowledged: 1_000,
    clock: 'synced',
    beams: [
      { name: 'outer', state: 'clear', since: at - 60_000, breaks: 1_000 },
      { name: 'inner', state: 'clear', since: at - 60_000, breaks: 1_000 },
    ],
    cpuTemperature: 48.3,
    diskFree: 11_000_000_000,
  });
}
