import { expect, test } from 'vitest';
import { type AdmittedConnection, ConnectionLimits } from './connection-limits.ts';

function admitted(limits: ConnectionLimits, address: string): AdmittedConnection {
  const connection = limits.admit(address);
  if ('refused' in connection) throw new Error(connection.refused);
  return connection;
}

test('limits connections in total, per address, and those that are not logged in', () => {
  const limits = new ConnectionLimits({ connections: 5, connectionsPerAddress: 3, pendingPerAddress: 2 });
  const first = admitted(limits, 'a');
  admitted(limits, 'a');
  expect(limits.admit('a')).toEqual({ refused: 'pendingPerAddress' });

  first.loggedIn();
  first.loggedIn();
  admitted(limits, 'a');
  expect(limits.admit('a')).toEqual({ refused: 'connectionsPerAddress' });

  admitted(limits, 'b');
  admitted(limits, 'b');
  expect(limits.admit('c')).toEqual({ refused: 'connections' });

  first.closed();
  first.closed();
  admitted(limits, 'c');
  expect(limits.admit('a')).toEqual({ refused: 'connections' });
});
