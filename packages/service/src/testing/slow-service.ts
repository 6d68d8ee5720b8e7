import { setTimeout as delay } from 'node:timers/promises';
import { runService } from '../run-service.ts';

/** A service that loads slowly: by the time it begins to run, its supervisor may be gone. */
await delay(500);
await runService('slow', { LOG_LEVEL: 'info' }, async () => {
  const running = setInterval(() => {}, 1_000);
  return { ready: {}, close: async () => clearInterval(running) };
});
