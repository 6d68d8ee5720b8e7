import { spawnSync } from 'node:child_process';
import { startMosquitto } from '@visitor-counter/test/mosquitto';
import { runLoad } from '../../load/run-load.ts';
import { unitSecret, unitSerial } from '../../shared/company.ts';
import type { World } from '../../shared/world.ts';
import { startRowByRow } from './programs.ts';

/** Published messages per second: more than it stores, but not so many that they use up the processors. */
const offered = 8_000;

/** Whether Mosquitto is installed. */
export function hasMosquitto(): boolean {
  const path = `${process.env['PATH']}:/usr/sbin`;
  return spawnSync('mosquitto', ['-h'], { env: { ...process.env, PATH: path } }).error === undefined;
}

export interface RowByRowOptions {
  readonly units: number;
  readonly warmUp: number;
  readonly seconds: number;
}

/**
 * Rows per second that a hand-written subscriber with Mosquitto stores. Only rows in the table count: the broker
 * acknowledges immediately, and queues or drops messages if the subscriber is slower.
 */
export async function storeRowByRow(
  { databaseUrl, client }: World,
  { units, ...time }: RowByRowOptions,
): Promise<number> {
  await client.query(
    `create table if not exists row_by_row (
       serial text, journal text, sequence bigint, at timestamptz, direction smallint,
       primary key (serial, journal, sequence))`,
  );
  await client.query('truncate row_by_row');
  const password = 'secret-of-the-subscriber';
  const serials = Array.from({ length: units }, (_, index) => unitSerial(index));
  const users = Object.fromEntries(serials.map((serial) => [serial, unitSecret(serial)]));
  const broker = await startMosquitto({ gateway: password, ...users });
  try {
    await using _subscriber = await startRowByRow(databaseUrl, broker.port, password);
    const order = {
      port: broker.port,
      units,
      ...time,
      crossingsPerMessage: 1,
      pace: { every: units / offered },
    };
    const { before, after } = await runLoad(order, async () => {
      const { rows } = await client.query<{ stored: number }>(
        'select count(*)::integer as stored from row_by_row',
      );
      return rows[0]?.stored ?? 0;
    });
    return (after - before) / time.seconds;
  } finally {
    await broker.close();
  }
}
