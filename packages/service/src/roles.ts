import type { Address } from './listen.ts';
import type { Logger } from './logger.ts';
import { addProcessMetrics, Metrics } from './metrics.ts';
import { jsonPage, type Page, startOperatorServer } from './operator-server.ts';
import type { Running } from './run-service.ts';

export interface StartRolesOptions {
  readonly roles: readonly Role[];
  readonly databaseUrl: string;
  /**
   * Migrates the schema, after waiting for the database without limit; calls back while it is unavailable.
   * Rejects when the database cannot be used, and with the signal's reason.
   */
  readonly migrate: (stopping: AbortSignal, onUnavailable: () => void) => Promise<void>;
  /** The address of the operator server. */
  readonly operator: Address;
  /** The folders whose disks the metrics contain. */
  readonly disks: readonly string[];
  /** The log of the process, and that of each role. */
  readonly log: Logger;
  readonly logOf: (role: string) => Logger;
  readonly stopping: AbortSignal;
}

/**
 * Starts roles in this process, and one operator server for all of them: `/health`, `/ready`, `/live` and `/metrics`.
 * It listens first, so that a process which waits for its database reports it. When one role cannot start, the others
 * are closed and its error is thrown.
 */
export async function startRoles(options: StartRolesOptions): Promise<Running> {
  const { roles, databaseUrl, log } = options;
  const metrics = new Metrics();
  const states: RoleStates = new Map(roles.map(({ name }) => [name, 'starting']));
  addProcessMetrics(metrics, { problems: () => problemsOf(states), folders: options.disks });
  const operator = await startOperatorServer({
    address: options.operator,
    pages: operatorPages(states, metrics),
  });
  const { port, setting } = options.operator;
  if (operator.port !== port && port !== 0) {
    const instead = `health checks and metrics are on ${operator.port} (${setting} chooses another)`;
    log.warn(`port ${port} is taken; ${instead}`);
  }
  const running: RunningRole[] = [];
  const close = async () => {
    for (const { name } of roles) states.set(name, 'stopping');
    await Promise.all(running.map((role) => role.close()));
    await operator.close();
  };
  const failing = new AbortController();
  const attempted = Promise.withResolvers<void>();
  const migrated = options.migrate(AbortSignal.any([options.stopping, failing.signal]), attempted.resolve);
  const starts = roles.map(async (role) => {
    const started = await role.start({ databaseUrl, migrated, metrics, log: options.logOf(role.name) });
    running.push(started);
    states.set(role.name, started);
  });
  try {
    await Promise.all([...starts, Promise.race([migrated, attempted.promise])]);
  } catch (error) {
    /* The others may be waiting for the database. */
    failing.abort(error);
    await Promise.allSettled([...starts, migrated]);
    await close();
    throw error;
  }
  const failure = migrated.then(() => new Promise<never>(() => {}));
  failure.catch(() => {});
  const ports = running.map((role) => role.ready);
  return { ready: Object.assign({}, ...ports, { metricsPort: operator.port }), failure, close };
}

/** Each role, while it runs, or why it does not. */
type RoleStates = Map<string, RunningRole | 'starting' | 'stopping'>;

/** Why each role is not ready; undefined for one that is. */
function problemsOf(states: RoleStates): Promise<(readonly [role: string, problem: string | undefined])[]> {
  return Promise.all(
    [...states].map(async ([name, state]) => {
      return [name, typeof state === 'string' ? state : await state.problem().catch(String)] as const;
    }),
  );
}

/**
 * `/ready` and its alias `/health` are 200 when all roles are ready, else 503; they name the state of each role, and what
 * else the operator should know. `/live` is 200 as long as the process can answer at all: a supervisor that restarts dead
 * processes must not restart a server because its database is unavailable.
 */
function operatorPages(states: RoleStates, metrics: Metrics) {
  const ready = async (): Promise<Page> => {
    const problems = await problemsOf(states);
    const isReady = problems.every(([, problem]) => problem === undefined);
    const roles = Object.fromEntries(problems.map(([name, problem]) => [name, problem ?? 'ok']));
    const remarks = [...states].flatMap(([name, state]) => {
      const remark = typeof state === 'string' ? undefined : state.remark?.();
      return remark === undefined ? [] : [[name, remark]];
    });
    const more = remarks.length > 0 && { remarks: Object.fromEntries(remarks) };
    return jsonPage(isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable', roles, ...more });
  };
  return {
    '/health': ready,
    '/ready': ready,
    '/live': async () => jsonPage(200, { status: 'ok' }),
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.metrics() }),
  };
}

/** The context that a process passes to its roles. */
export interface RoleContext {
  readonly databaseUrl: string;
  /** Resolves when the schema of the database is up to date. Rejects when it cannot be, which ends the process. */
  readonly migrated: Promise<void>;
  readonly log: Logger;
  /** The metrics of the process; a role adds its own, whose names no other role has. */
  readonly metrics: Metrics;
}

/** A part of the server that may share a process with others: it neither reads arguments nor ends the process. */
export interface Role {
  readonly name: string;
  /** Rejects when the role cannot run, which ends the process. */
  start(context: RoleContext): Promise<RunningRole>;
}

export interface RunningRole extends Pick<Running, 'ready' | 'close'> {
  /** Why the role is not ready, for the operator; undefined when it is. */
  problem(): Promise<string | undefined>;
  /** A remark for the operator, even if the role is ready. */
  remark?(): string | undefined;
}
