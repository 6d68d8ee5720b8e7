import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** A command without its id; instants are epoch ms. */
export type AskedCommand =
  | { readonly command: 'identify' | 'restart' }
  | { readonly command: 'resend'; readonly from: number; readonly until: number };

/** What a device was asked, and what it says of it. */
export interface UnitOrders {
  /** The revision that was set last, its settings, and when; null where none ever was. */
  readonly config: {
    readonly revision: number;
    readonly settings: unknown;
    readonly setAt: Date;
  } | null;
  /** What the latest heartbeat says of settings. */
  readonly answered: unknown;
  /** Through which id the unit has done commands; what its latest heartbeat says. */
  readonly commandsThrough: unknown;
  readonly commands: readonly {
    readonly id: number;
    readonly command: unknown;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  }[];
}

/** Sets all remote settings of a device; resolves with their revision, which no others of it ever had. */
export async function setDeviceConfig(
  db: Kysely<Schema>,
  deviceId: number,
  settings: object,
): Promise<number> {
  const text = JSON.stringify(settings);
  const { revision } = await db
    .insertInto('device_config')
    .values({ device_id: deviceId, revision: 1, settings: text })
    .onConflict((conflict) =>
      conflict.column('device_id').doUpdateSet({
        revision: sql<string>`device_config.revision + 1`,
        settings: text,
        set_at: sql<Date>`now()`,
      }),
    )
    .returning('revision')
    .executeTakeFirstOrThrow();
  return Number(revision);
}

/** Asks a device for a command until `expiresAt`; resolves with its id. */
export async function addDeviceCommand(
  db: Kysely<Schema>,
  deviceId: number,
  command: AskedCommand,
  expiresAt: Date,
): Promise<number> {
  const { id } = await db
    .insertInto('device_command')
    .values({ device_id: deviceId, command: JSON.stringify(command), expires_at: expiresAt })
    .returning('id')
    .executeTakeFirstOrThrow();
  return Number(id);
}

/** The settings of a device and its latest commands, newest first. */
export async function readUnitOrders(db: Kysely<Schema>, deviceId: number): Promise<UnitOrders> {
  const config = await db
    .selectFrom('device_config')
    .selectAll()
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  const answers = await db
    .selectFrom('device_state')
    .select(sql<unknown>`heartbeat->'config'`.as('answered'))
    .select(sql<unknown>`heartbeat->'commandsThrough'`.as('through'))
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  const commands = await db
    .selectFrom('device_command')
    .selectAll()
    .where('device_id', '=', deviceId)
    .orderBy('id', 'desc')
    .limit(20)
    .execute();
  return {
    config: config
      ? { revision: Number(config.revision), settings: config.settings, setAt: config.set_at }
      : null,
    answered: answers?.answered ?? null,
    commandsThrough: answers?.through ?? null,
    commands: commands.map(({ id, command, created_at, expires_at }) => ({
      ...{ id: Number(id), command, createdAt: created_at, expiresAt: expires_at },
    })),
  };
}
