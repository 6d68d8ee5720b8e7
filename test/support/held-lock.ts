import { connect } from '@visitor-counter/database/sql/connect';
import { onTestFinished } from 'vitest';

export interface HeldLock {
  release(): Promise<void>;
}

/** Runs a statement that locks something in a transaction that stays open until it is released. */
export async function holdLock(url: string, statement: string): Promise<HeldLock> {
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
