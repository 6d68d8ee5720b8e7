import { connect } from '@visitor-counter/database/sql/connect';
import { onTestFinished } from 'vitest';

/** Runs a statement that locks something in a transaction that stays open until it is released. */
export async function holdLock(url: string, statement: string) {
  const { pool, close } = connect(url, { applicationName: 'test lock', maxConnections: 1 });
  onTestFinished(close);
  const client = await pool.connect();
  await client.query(`begin; ${statement}`);
  let held = true;
  const release = async () => {
    if (!held) return;
    held = false;
    await client.query('rollback');
    client.release();
  };
  onTestFinished(release);
  return { release };
}
