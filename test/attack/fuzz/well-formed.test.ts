import { expect, test } from 'vitest';
import { Random } from './random.ts';
import { wellFormed } from './well-formed.ts';

test('makes the same packets for the same seed, and others for another seed', () => {
  const packets = (seed: number) => {
    const random = new Random(seed);
    const device = { serial: 'CU-1', secret: 'secret' };
    return Array.from({ length: 100 }, () => wellFormed(random, device).toString('hex'));
  };

  expect(packets(1)).toEqual(packets(1));
  expect(packets(1)).not.toEqual(packets(2));
});
