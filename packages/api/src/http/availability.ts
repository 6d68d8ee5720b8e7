import type { Database } from '@visitor-counter/database/sql/connect';
import { canRead } from '@visitor-counter/database/sql/connect';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.ts';
import { requirePlainUtf8 } from './request-body.ts';

/** Nearly every answer is read from these. */
const tables = ['credential', 'store', 'crossing'] as const;

export type Availability = ReturnType<typeof databaseAvailability>;

/** Whether requests can be answered from the database. */
export function databaseAvailability(
  database: Database,
  migrated: () => boolean,
  isLiveReady: () => boolean,
) {
  let reading: Promise<boolean> | undefined;
  return {
    /** False until the schema is up to date for the first time. */
    ready: migrated,
    /** Checks the database now; false if requests cannot read in time, or open live streams send old numbers. */
    check: async () => {
      if (!migrated() || !isLiveReady()) return false;
      /* One statement for all checks that arrive meanwhile: anyone may request them, any number of times. */
      reading ??= canRead(database, tables).finally(() => {
        reading = undefined;
      });
      return await reading;
    },
  };
}

/** Throws `database_unavailable` before the schema is up to date, and for bodies like `requirePlainUtf8`. */
export function requireAnswerable({ headers }: FastifyRequest, availability: Availability): void {
  if (!availability.ready()) throw new Problem('database_unavailable');
  requirePlainUtf8(headers);
}

/**
 * `/ready` and its alias `/health` check the database. `/live` is 200 as long as the process can answer at all: a
 * supervisor that restarts dead processes must not restart the api because the database is unavailable.
 */
export function addProbes(app: FastifyInstance, availability: Availability): void {
  const ready = async (_request: FastifyRequest, reply: FastifyReply) => {
    const ok = await availability.check();
    return reply.status(ok ? 200 : 503).send({ status: ok ? 'ok' : 'unavailable' });
  };
  app.get('/health', ready);
  app.get('/ready', ready);
  app.get('/live', async () => ({ status: 'ok' }));
}
