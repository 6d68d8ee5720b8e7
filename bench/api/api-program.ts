import { readApiConfig } from '@visitor-counter/api/config';
import { startApi } from '@visitor-counter/api/start-api';
import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import { runService } from '@visitor-counter/service/run-service';
import { runRole } from '@visitor-counter/test/run-role';
import { now } from './workload.ts';

/* The api as its real process, except for the clock: the created crossings are always today's. */
await runService('api', process.env, async (log) => {
  const config = await readApiConfig(process.env);
  const url = await findDatabase(process.env);
  return runRole('api', (context) => startApi(config, context, { now: () => now }), url, log);
});
