import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';

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

export interface RunningRole {
  /** Facts for the supervisor, such as the ports that the role listens on. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Why the role is not ready, for the operator; undefined when it is. */
  problem(): Promise<string | undefined>;
  /** Stops accepting work, completes or requeues what is in flight, and releases everything. */
  close(): Promise<void>;
}
