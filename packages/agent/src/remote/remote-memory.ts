import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import { reasonOf } from '@visitor-counter/service/errors';
import { writeAtomically } from '@visitor-counter/service/files';
import type { Logger } from '@visitor-counter/service/logger';
import { CommandMessage, type UnitCommand } from '@visitor-counter/wire/gateway-messages';
import type { CommandReport } from '@visitor-counter/wire/heartbeat-message';
import { maxMissingRanges, maxReportedCommands } from '@visitor-counter/wire/limits';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Mutex } from '../async/concurrency.ts';

/** Finished commands of one kind that are remembered, so that none is executed twice. */
const mostRemembered = 64;

/**
 * The settings and commands that a unit has received, durable where that matters: changes are in memory until
 * `save` has stored them.
 */
export class RemoteMemory {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #mutex = new Mutex();
  #state: RemoteState;
  /** The ids of the commands that a heartbeat reports, in order of their latest arrival, the latest first. */
  #received: readonly number[] = [];

  constructor(state: RemoteState, folder: string, log: Logger) {
    this.#state = state;
    this.#folder = folder;
    this.#log = log;
    for (const { order } of state.commands.toReversed()) this.#receive(order.id);
  }

  get revision(): number {
    return this.#state.revision;
  }

  /** Commands that are not finished, the oldest first. */
  get running(): readonly KnownCommand[] {
    return this.#state.commands.filter(({ state }) => state === 'running').toReversed();
  }

  /** The commands that a heartbeat reports, the latest arrival first; repetitions count as arrivals. */
  get reports(): CommandReport[] {
    return this.#received.flatMap((id) => {
      const known = this.find(id);
      return known ? [reportOf(known)] : [];
    });
  }

  /** Whether the command is known; then the next heartbeat reports it. */
  recognises(id: number): boolean {
    if (!this.find(id)) return false;
    this.#receive(id);
    return true;
  }

  add(order: UnitCommand, state: KnownCommand['state']): void {
    this.#state = withCommand(this.#state, { order, state });
    this.#receive(order.id);
  }

  /** Adds a running command, which is durable when this resolves. If it rejects, the command stays unknown. */
  async addDurably(order: UnitCommand): Promise<void> {
    await this.save((state) => withCommand(state, { order, state: 'running' }));
    this.#receive(order.id);
  }

  /** Changes the state of a command. */
  update(id: number, changes: Partial<Omit<KnownCommand, 'order'>>): void {
    const commands = this.#state.commands.map((known) =>
      known.order.id === id ? { ...known, ...changes } : known,
    );
    this.#state = { ...this.#state, commands };
  }

  /** Makes the state durable together with a change. Rejects with the error of the disk; then nothing has changed. */
  save(change = (state: RemoteState) => state): Promise<void> {
    const path = join(this.#folder, fileName);
    return this.#mutex.runExclusive(async () => {
      await writeAtomically(path, JSON.stringify(change(this.#state)));
      this.#state = change(this.#state);
    });
  }

  /** The same, but an error of the disk is only logged: after a restart, a command is then executed again. */
  trySave(): Promise<void> {
    return this.save().catch((error: unknown) => {
      this.#log.warn({ err: error }, 'state of commands not stored');
    });
  }

  /** A command and its state; undefined if it is unknown. */
  find(id: number): KnownCommand | undefined {
    return this.#state.commands.find(({ order }) => order.id === id);
  }

  #receive(id: number): void {
    this.#received = [id, ...this.#received.filter((other) => other !== id)].slice(0, maxReportedCommands);
  }
}

/** Remembers finished commands per kind, so that many resends do not evict a `restart`, which must not be executed again. */
function withCommand(remote: RemoteState, added: KnownCommand): RemoteState {
  const finished = new Map<string, number>();
  const commands = [added, ...remote.commands].filter(({ order: { command }, state }) => {
    if (state === 'running') return true;
    const newer = finished.get(command) ?? 0;
    finished.set(command, newer + 1);
    return newer < mostRemembered;
  });
  return { ...remote, commands };
}

function reportOf({ order: { id }, state, sent, total, missing = [], problem }: KnownCommand): CommandReport {
  return {
    id,
    state,
    ...(sent !== undefined && { sent }),
    ...(total !== undefined && { total }),
    ...(missing.length > 0 && { missing: missing.slice(0, maxMissingRanges) }),
    ...(problem !== undefined && { problem: problem.slice(0, 500) }),
  };
}

const Sequence = Type.Integer({ minimum: 0 });

/** A command that the unit has received. All fields after `state` but `problem` are about a resend. */
const KnownCommand = Type.Object({
  order: CommandMessage,
  state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
  sent: Type.Optional(Sequence),
  total: Type.Optional(Sequence),
  /** Sequences that the unit no longer has, in order. */
  missing: Type.Optional(Type.Array(Type.Tuple([Sequence, Sequence]))),
  problem: Type.Optional(Type.String()),
});

export type KnownCommand = Static<typeof KnownCommand>;

/** How a command has ended. */
export type CommandResult = Pick<KnownCommand, 'state' | 'problem'>;

const RemoteState = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** The newest first. */
  commands: Type.Array(KnownCommand),
});

/** The settings and commands that a unit has received from the gateway. */
export type RemoteState = Static<typeof RemoteState>;

const remoteState = Compile(RemoteState);
const fileName = 'remote.json';
const nothingYet: RemoteState = { revision: 0, settings: {}, commands: [] };

/** The state in a journal's folder; empty if the file is missing or cannot be read: the gateway sends its orders again. */
export async function readRemoteState(folder: string): Promise<RemoteState> {
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => '');
  const value = parsedJson(text);
  return remoteState.Check(value) ? value : nothingYet;
}

/** The text of an error in a report, which is bounded. */
export function textOf(error: unknown): string {
  return reasonOf(error).slice(0, 500);
}
