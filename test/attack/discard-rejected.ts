import { connect } from '@visitor-counter/database/sql/connect';

/** The pause between two rounds of the operator (ms). */
const every = 2_000;

/** An operator who discards the rejected messages of an attack, so that no device reaches its limit. */
export function discardRejected(databaseUrl: string): { stop: () => Promise<void> } {
  const { pool, close } = connect(databaseUrl, { applicationName: 'operator', maxConnections: 1 });
  /* A failed round is repeated. */
  const look = () => pool.query('delete from rejected_message').catch(() => {});
  const timer = setInterval(look, every);
  return {
    stop: () => {
      clearInterval(timer);
      return close();
    },
  };
}
