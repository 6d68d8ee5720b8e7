import { connect } from '@visitor-counter/database/sql/connect';

/** The pause between two rounds of the operator (ms). */
const every = 2_000;

/** An operator who discards what is rejected of an attack, so that no device runs out of room, which is an error. */
export function discardRejected(databaseUrl: string): { stop: () => Promise<void> } {
  const { pool, close } = connect(databaseUrl, { applicationName: 'operator', maxConnections: 1 });
  /* What is not deleted now is deleted the next time. */
  const look = () => pool.query('delete from rejected_message').catch(() => {});
  const timer = setInterval(look, every);
  return {
    stop: () => {
      clearInterval(timer);
      return close();
    },
  };
}
