import { recordCredentialUse } from '@visitor-counter/database/credentials/credentials';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { loginFailures } from '@visitor-counter/service/budgets';
import type { Logger } from '@visitor-counter/service/logger';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import type { FastifyInstance } from 'fastify';
import { callerLimits } from './access/caller-limits.ts';
import { Callers } from './access/callers.ts';
import { answersAtATime, companyPlaces } from './access/places.ts';
import { addOperations } from './asmx/add-operations.ts';
import type { ApiConfig } from './config.ts';
import { defaultTimeouts, type Timeouts } from './http/answer-body.ts';
import { type Availability, addProbes, databaseAvailability } from './http/availability.ts';
import { type ApiInstruments, apiInstruments, logFailure } from './http/request-log.ts';
import { serveDashboard } from './http/serve-dashboard.ts';
import { closeServer, createServer, listen } from './http/server.ts';
import { addReference } from './openapi/reference.ts';
import type { Resources } from './resources.ts';
import { type Snapshots, snapshotsOf } from './snapshots/snapshots.ts';
import { LiveHub } from './v1/live/live-hub.ts';
import { StoreBoard } from './v1/live/store-board.ts';
import { addV1 } from './v1/routes.ts';

/** Connections to the database in addition to those of answers and ranges: for health checks, credentials and live streams. */
const reservedConnections = 6;

/** Logged when the folder of the page has no page. */
const noPage = 'page not built; run npx pnpm build, or set PAGE_DIR';

const defaultMaxWait = 5_000;

const defaultReloadInterval = 5_000;

/**
 * How much longer than a statement may take on the server the api waits for its answer (ms). A server that has sent nothing by
 * then is suspended, or its disk is stuck: its own time limit does not end the statement either.
 */
const answerDelay = 1_000;

export interface ApiOptions {
  readonly now?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  /** How long a request waits for a place (ms). */
  readonly maxWait?: number;
  /** Polling interval for changes of the certificate files (ms). */
  readonly reloadInterval?: number;
}

/**
 * Listens immediately, and answers 503 until the schema of the database is up to date. Throws a
 * ConfigurationError for a port or certificates that cannot be used.
 */
export async function startApi(
  config: ApiConfig,
  { databaseUrl, migrated, log, metrics }: RoleContext,
  options: ApiOptions = {},
): Promise<RunningRole> {
  const bounded = new BoundedLog(log);
  const { replica, limits } = config;
  const connection = {
    applicationName: 'visitor-counter api',
    statementTimeout: limits.statement,
    queryDeadline: limits.statement + answerDelay,
  };
  const database = connect(databaseUrl, {
    ...connection,
    maxConnections: reservedConnections + answersAtATime + limits.exports,
    onIdleError: (error) => logFailure(bounded, 'lost a connection to the database', error),
  });
  let isMigrated = false;
  migrated.then(
    () => {
      isMigrated = true;
    },
    () => {},
  );
  /* One more connection than ranges are read at a time is for the checks of the replica. */
  const standby = replica && {
    database: connect(replica.url, { ...connection, maxConnections: limits.exports + 1, readOnly: true }),
    maxLag: replica.maxLag,
  };
  const snapshots = snapshotsOf({ primary: database, replica: standby, log: bounded, metrics });
  const instruments = apiInstruments(metrics);
  const parts = { config, database, snapshots, bounded, log, instruments, options };
  const resources = resourcesOf(parts);
  const availability = databaseAvailability(
    database,
    () => isMigrated,
    () => resources.hub.isReady,
  );
  let app: FastifyInstance | undefined;
  const close = async () => {
    if (app) await closeServer(app);
    await snapshots.close();
    await database.close();
  };
  try {
    app = await publicInterface(parts, resources, availability);
    const httpPort = await listen(app, config.host, config.port);
    const problem = async () => ((await availability.check()) ? undefined : 'the database does not answer');
    return { ready: { httpPort }, problem, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  readonly config: ApiConfig;
  readonly database: Database;
  readonly snapshots: Snapshots;
  readonly instruments: ApiInstruments;
  readonly log: Logger;
  readonly bounded: BoundedLog;
  readonly options: ApiOptions;
}

/** What the operations and the routes of /v1 use, with the metrics of their parts. */
function resourcesOf({ database, snapshots, instruments, config, bounded, options }: Parts): Resources {
  const { limits, units, plainSignIn } = config;
  const { now = Date.now, maxWait = defaultMaxWait } = options;
  const admit = callerLimits(limits, now, (credentialId, at) => {
    const failed = (error: unknown) => logFailure(bounded, 'use of a credential not written', error);
    recordCredentialUse(database.kysely, credentialId, at).catch(failed);
  });
  const places = companyPlaces(limits, maxWait);
  instruments.watch(places, database);
  const callers = new Callers({ database, now, admit });
  const hub = new LiveHub({
    board: new StoreBoard(database, now),
    now,
    stillValid: (listening) => callers.stillValid(listening),
    onError: (error) => logFailure(bounded, 'live streams not updated', error),
  });
  const enrolmentFailures = loginFailures(limits.failuresPerMinute, now);
  return { ...places, database, snapshots, callers, now, hub, plainSignIn, units, enrolmentFailures };
}

/**
 * The public HTTP interface, ready to listen: the operations, /v1, the reference, the probes and the page. Throws
 * ConfigurationError for certificates that cannot be used.
 */
async function publicInterface(
  { config: { pathId, trustedProxies, xml, tls, pageFolder }, instruments, log, options }: Parts,
  resources: Resources,
  availability: Availability,
): Promise<FastifyInstance> {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const { reloadInterval = defaultReloadInterval } = options;
  const server = { trustedProxies, instruments, log, timeouts, tls, reloadInterval };
  const { app, refuseOtherMethods, ...errors } = await createServer(server);
  addProbes(app, availability);
  addReference(app, { pathId, xml });
  addOperations(app, { pathId, resources, availability, xml, timeouts, ...errors });
  await addV1(app, resources, availability);
  if (!(await serveDashboard(app, pageFolder))) log.warn({ folder: pageFolder }, noPage);
  refuseOtherMethods();
  return app;
}
