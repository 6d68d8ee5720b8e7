import { setTimeout as delay } from 'node:timers/promises';
import { type FindingKind, findingKinds } from '@visitor-counter/database/alerts/store-findings';
import { judgeDirections } from '@visitor-counter/database/occupancy/judge-directions';
import { lockKeys, startSoleWorker } from '@visitor-counter/database/sql/advisory-locks';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { findUnusual } from '../findings/find.ts';
import { type Evaluated, evaluate } from './evaluate.ts';
import type { Findings } from './facts.ts';

/**
 * Evaluates the alert rules, each second; of several processes, one does it. It also searches for unusual counts, over
 * connections of `searched`: evaluations do not wait for that.
 */
export function startEvaluation(
  url: string,
  searched: Db,
  onEvaluated: (evaluated: Evaluated) => void,
  onProblem: (error: unknown) => void,
): Repetition {
  let searchesEnded: Promise<void> | undefined;
  const work = async (db: Db, signal: AbortSignal) => {
    const found: Findings = new Map();
    const searches = startSearches(searched, found, onProblem);
    try {
      while (!signal.aborted) {
        onEvaluated(await evaluate(db, found));
        await delay(1_000, undefined, { signal });
      }
    } finally {
      searchesEnded = searches.close();
    }
  };
  const options = { url, applicationName: 'visitor-counter alert rules', onProblem };
  /* A process that hangs must lose its lock, after more time than it is idle between its statements. */
  const settings = `set statement_timeout = '10s'; set idle_session_timeout = '5s'`;
  const worker = startSoleWorker(options, { lock: lockKeys.alerts, settings, standby: 1_000, work });
  return {
    close: async () => {
      await worker.close();
      await searchesEnded;
    },
  };
}

/** Judges directions and searches for unusual counts, each minute; drifts of doors, which change from day to day, each hour. */
function startSearches(db: Db, found: Findings, onProblem: (error: unknown) => void): Repetition {
  let minute = 0;
  return repeat(
    60_000,
    async (signal) => {
      const now = Date.now();
      const search = async (kind: FindingKind) => found.set(kind, await findUnusual(db, now, kind));
      const due = findingKinds.filter((kind) => kind !== 'direction-doubtful' || minute % 60 === 0);
      const searches = [() => judgeDirections(db, now), ...due.map((kind) => () => search(kind))];
      for (const one of searches) if (!signal.aborted) await one().catch(onProblem);
      minute += 1;
    },
    onProblem,
  );
}
