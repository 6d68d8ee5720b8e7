import { expect, test } from 'vitest';
import { ShortConnections } from './broker-connection.ts';

const short = 100;
const long = 6_000;

/** Consecutive connections, by their durations (ms); undefined for one that the broker did not accept. */
function after(...lasted: (number | undefined)[]) {
  const connections = new ShortConnections();
  let now = 0;
  for (const duration of lasted) {
    if (duration !== undefined) connections.accepted(now);
    now += duration ?? short;
    connections.ended(now, true);
  }
  return { connections, now };
}

test.each([
  [[short, short, short], true],
  [[long, short, short, short], true],
  [[short, short], false],
  [[short, short, long, short], false],
  [[undefined, undefined, undefined], false],
  [[short, short, short, undefined], false],
])('after connections that lasted %j, several short ones in a row: %j', (lasted, several) => {
  const { connections, now } = after(...lasted);
  expect(connections.areSeveral(now)).toBe(several);
});

test('resets after a connection that lasts', () => {
  const { connections, now } = after(short, short, short);
  connections.accepted(now);
  expect(connections.areSeveral(now + short)).toBe(true);
  expect(connections.areSeveral(now + long)).toBe(false);
});

test('does not count connections that the gateway has ended', () => {
  const { connections, now } = after(short, short);
  connections.accepted(now);
  connections.ended(now + short, false);
  expect(connections.areSeveral(now + short)).toBe(false);
});
