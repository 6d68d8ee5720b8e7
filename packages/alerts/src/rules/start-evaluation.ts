import { setTimeout as delay } from 'node:timers/promises';
import { judgeDirections } from '@visitor-counter/database/occupancy/judge-directions';
import { lockKeys } from '@visitor-counter/database/sql/advisory-locks';
import type { DB } from '@visitor-counter/database/sql/schema';
import { type SoleWorker, startSoleWorker } from '@visitor-counter/database/sql/sole-worker';
import type { Kysely } from 'kysely';
import { findUnusual } from '../findings/find.ts';
import { type Evaluated, evaluate } from './evaluate.ts';

/* A process that hangs must lose its lock, after more time than it is idle between its statements. */

/** Evaluates the alert rules, each second; of several processes, one does it. */
export function startEvaluation(
  url: string,
  onEvaluated: (evaluated: Evaluated) => void,
  onProblem: (error: unknown) => void,
): SoleWorker {
  const work = async (db: Kysely<DB>, signal: AbortSignal) => {
    while (!signal.aborted) {
      onEvaluated(await evaluate(db));
      await delay(1_000, undefined, { signal });
    }
  };
  const options = { url, applicationName: 'visitor-counter alert rules', onProblem };
  const settings = `set statement_timeout = '10s'; set idle_session_timeout = '5s'`;
  return startSoleWorker(options, { lock: lockKeys.alerts, settings, standby: 1_000, work });
}

/** Judges directions and searches for unusual counts, each minute; drifts of doors, which change from day to day, each hour. */
export function startSearches(url: string, onProblem: (error: unknown) => void): SoleWorker {
  const work = async (db: Kysely<DB>, signal: AbortSignal) => {
    for (let minute = 0; !signal.aborted; minute += 1) {
      const now = Date.now();
      const searches = [
        () => judgeDirections(db, now),
        () => findUnusual(db, now, 'visitors-while-closed'),
        () => findUnusual(db, now, 'silent-while-open'),
        ...(minute % 60 === 0 ? [() => findUnusual(db, now, 'direction-doubtful')] : []),
      ];
      for (const search of searches) await search().catch(onProblem);
      await delay(60_000, undefined, { signal });
    }
  };
  const options = { url, applicationName: 'visitor-counter searches', onProblem };
  const settings = `set idle_session_timeout = '120s'`;
  return startSoleWorker(options, { lock: lockKeys.searches, settings, standby: 5_000, work });
}
