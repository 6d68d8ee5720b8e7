import { setTimeout as delay } from 'node:timers/promises';
import { findingKinds } from '@visitor-counter/database/alerts/store-findings';
import { judgeDirections } from '@visitor-counter/database/occupancy/judge-directions';
import { lockKeys } from '@visitor-counter/database/sql/advisory-locks';
import type { DB } from '@visitor-counter/database/sql/schema';
import { type SoleWorker, startSoleWorker } from '@visitor-counter/database/sql/sole-worker';
import type { Kysely } from 'kysely';
import { findUnusual, searches } from '../findings/find.ts';
import { type Evaluated, evaluate } from './evaluate.ts';

/** Between two evaluations of the rules (ms). */
const pause = 1_000;

/** A process that hangs must lose the lock. */
const settings = `set statement_timeout = '10s'; set idle_session_timeout = '5s'`;

/**
 * Evaluates directions and unusual counts, each minute or hour, and the alert rules, each second; of several processes, one
 * does it. `failed` returns a function that reports an error.
 */
export function startEvaluation(
  url: string,
  onEvaluated: (evaluated: Evaluated) => void,
  failed: (message: string) => (error: unknown) => void,
): SoleWorker {
  const unusual = findingKinds.map((kind) => {
    const search = (db: Kysely<DB>, now: number) => findUnusual(db, now, kind);
    return { every: searches[kind].every, due: 0, search, failure: 'unusual counts not evaluated' };
  });
  const directions = {
    every: 60_000,
    due: 0,
    search: judgeDirections,
    failure: 'directions not evaluated',
  };
  const work = async (db: Kysely<DB>, signal: AbortSignal) => {
    while (!signal.aborted) {
      for (const one of [directions, ...unusual].filter(({ due }) => due <= performance.now())) {
        one.due = performance.now() + one.every;
        await one.search(db, Date.now()).catch(failed(one.failure));
      }
      onEvaluated(await evaluate(db));
      await delay(pause, undefined, { signal });
    }
  };
  const onProblem = failed('alert rules not evaluated');
  const options = { url, applicationName: 'visitor-counter alert rules', onProblem };
  return startSoleWorker(options, { lock: lockKeys.alerts, settings, standby: pause, work });
}
