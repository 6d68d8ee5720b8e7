import { setTimeout as delay } from 'node:timers/promises';
import { runService } from '../src/run-service.ts';

/** A service that loads slowly: when it begins to run, its supervisor may have ended. */
await delay(500);
await runService('slow', { LOG_LEVEL: 'info' }, async () => {
  const running = setInterval(() => {}, 1_000);
  return { ready: {}, close: async () => clearInterval(running) };
});
