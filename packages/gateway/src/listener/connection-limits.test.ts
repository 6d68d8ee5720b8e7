import { expect, test } from 'vitest';
import { type Place, Places } from './connection-limits.ts';

function entered(places: Places, address: string): Place {
  const place = places.enter(address);
  if ('refused' in place) throw new Error(place.refused);
  return place;
}

test('counts in all, by address, and those that have not logged in', () => {
  const places = new Places({ connections: 5, connectionsPerAddress: 3, pendingPerAddress: 2 });
  const first = entered(places, 'a');
  entered(places, 'a');
  expect(places.enter('a')).toEqual({ refused: 'pendingPerAddress' });

  first.loggedIn();
  first.loggedIn();
  entered(places, 'a');
  expect(places.enter('a')).toEqual({ refused: 'connectionsPerAddress' });

  entered(places, 'b');
  entered(places, 'b');
  expect(places.enter('c')).toEqual({ refused: 'connections' });

  first.leave();
  first.leave();
  entered(places, 'c');
  expect(places.enter('a')).toEqual({ refused: 'connections' });
});
