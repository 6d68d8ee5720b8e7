import { connect } from '@visitor-counter/database/connect';
import { listenError } from '@visitor-counter/service/listen';
import type { Logger } from '@visitor-counter/service/logger';
import type { Running } from '@visitor-counter/service/run-service';
import type { FastifyInstance } from 'fastify';
import { authorizer } from './access/authorize.ts';
import { useNoter } from './access/note-use.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import type { ApiConfig } from './config.ts';
import { databaseAvailability } from './http/availability.ts';
import { logFailure } from './http/log-failure.ts';
import { createServer, type Timeouts } from './http/server.ts';
import { ExportSlots } from './operations/export-slots.ts';
import { allOperations } from './operations/operations.ts';

/** Connections to the database, and how many of them ranges may have at a time. */
const connections = 12;
const exportConnections = 8;

const defaultExportPatience = 5_000;

/** How long answers that are under way may go on when the service is to stop (ms). */
const finishDeadline = 5_000;

export interface ApiOptions {
  readonly now?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  /** How long a request for a range waits for its turn (ms). */
  readonly exportPatience?: number;
}

/**
 * Listens at once, and answers 503 until the database is there and its schema up to date. Throws a
 * ConfigurationError for a port that cannot be had, and whatever stops the first migration for good.
 */
export async function startApi(config: ApiConfig, log: Logger, options: ApiOptions = {}): Promise<Running> {
  const now = options.now ?? Date.now;
  const failed = (message: string) => (error: unknown) => logFailure(log, message, error);
  const database = connect(config.databaseUrl, {
    applicationName: 'visitor-counter api',
    maxConnections: connections,
    onIdleError: failed('lost a connection to the database'),
  });
  const schema = bringUpToDate(config.databaseUrl, log);
  const noteUse = useNoter(database, now, failed('could not note the use of a credential'));
  const authorize = authorizer(database, now, noteUse);
  const exports = new ExportSlots(exportConnections, options.exportPatience ?? defaultExportPatience);
  const app = await createServer({
    pathId: config.pathId,
    operations: allOperations({ database, authorize, exports, now }),
    availability: databaseAvailability(database, schema.done),
    log,
    ...(options.timeouts && { timeouts: options.timeouts }),
  });
  const close = async () => {
    schema.stop();
    await closeServer(app);
    await database.close();
  };
  try {
    const httpPort = await listen(app, config);
    await schema.firstAttempt();
    return { ready: { httpPort }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listen(app: FastifyInstance, { host, port }: ApiConfig): Promise<number> {
  try {
    const address = await app.listen({ host, port });
    return Number(new URL(address).port);
  } catch (error) {
    throw error instanceof Error ? listenError(error, host, port, 'HTTP_PORT') : error;
  }
}

/** Takes no more requests and finishes the answers under way; those that take too long are broken off. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), finishDeadline);
  await app.close();
  clearTimeout(late);
}
