import { readApiConfig } from '@visitor-counter/api/config';
import { startApi } from '@visitor-counter/api/start-api';
import { runService } from '@visitor-counter/service/run-service';
import { now } from './workload.ts';

/* The api as its real process, but for the clock: what is made once stays today. */
await runService('api', process.env, async (log) =>
  startApi(await readApiConfig(process.env), log, { now: () => now }),
);
