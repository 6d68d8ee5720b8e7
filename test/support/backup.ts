import { inject, onTestFinished } from 'vitest';
import { withPatientClient } from './with-patient-client.ts';

type Client = Parameters<Parameters<typeof withPatientClient>[1]>[0];

/** A copy of a database at one moment, equivalent to a cold copy of its files. */
export interface Backup {
  /** Restores the database to that moment, as `admin restore` does, except that clients may be connected. */
  restore(): Promise<void>;
}

/** Copies the database of the URL; everything that is connected to it loses its connection for that time. */
export async function backUp(url: string): Promise<Backup> {
  const server = inject('databaseServer');
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_backup`;
  await copyDatabase(server, name, copy);
  onTestFinished(() => withPatientClient(server, (client) => drop(client, copy)));
  const restore = async () => {
    await copyDatabase(server, copy, name);
    await withPatientClient(url, (client) => client.query('select begin_epoch()'));
  };
  return { restore };
}

/** Replaces `to` by a copy of `from`. */
function copyDatabase(server: string, from: string, to: string): Promise<void> {
  return withPatientClient(server, async (client) => {
    await close(client, from);
    await drop(client, to);
    await client.query(`create database ${to} template ${from} strategy file_copy`);
    await client.query(`alter database ${from} allow_connections true`);
    await client.query(`alter database ${to} allow_connections true`);
  });
}

async function close(client: Client, name: string): Promise<void> {
  await client.query(`alter database ${name} allow_connections false`);
  const others =
    'select count(pg_terminate_backend(pid))::integer as count from pg_stat_activity where datname = $1';
  for (;;) {
    const { rows } = await client.query<{ count: number }>(others, [name]);
    if (rows[0]?.count === 0) return;
  }
}

async function drop(client: Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${name} with (force)`);
}
