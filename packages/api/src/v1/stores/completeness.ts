import { type Completeness, noDevices } from '@visitor-counter/database/devices/completeness';
import { reasons } from '@visitor-counter/database/devices/delivery';
import Type from 'typebox';
import { count, instant, orNull, text } from '../routing/shapes.ts';

const obstacle = Type.Object(
  {
    kind: Type.Enum([
      'offline',
      'never-connected',
      'pending',
      'pending-unknown',
      'missing',
      'lost',
      'conflict',
      'beam-blocked',
      'beams-unreadable',
      'beam-flickering',
      'storage',
      'direction-doubtful',
      'clock-unsynced',
      'no-devices',
    ]),
    device: Type.Optional(text('Serial number.')),
    beam: Type.Optional(text('Name of the beam.')),
    problem: Type.Optional(
      Type.Enum(['full', 'limit', 'failed'], { description: 'Why the unit cannot store crossings.' }),
    ),
    since: Type.Optional(instant('Since when.')),
    count: Type.Optional(
      count(
        'Crossings that are not delivered, missing or lost, or only in the memory of a unit; messages in conflict.',
      ),
    ),
  },
  { description: 'A reason why a number is incomplete or doubtful.' },
);

/** In an item with numbers, and so in the rows of files. */
export const incompleteShape = Type.Array(Type.Enum([...reasons]), {
  description: 'Why its numbers may change.',
});

/** How complete a number is, in an answer. */
export const completenessShape = {
  completeUntil: orNull(instant('Everything counted until then has been delivered; null: not known.')),
  obstacles: Type.Array(obstacle),
};

/** Completeness in an answer, with the instants of its store; that of a store without devices where it is unknown. */
export function completenessItem(
  { completeUntil, obstacles }: Completeness = noDevices,
  format: (instant: number) => string,
) {
  return {
    completeUntil: completeUntil === null ? null : format(completeUntil),
    obstacles: obstacles.map((obstacle) =>
      'since' in obstacle && obstacle.since !== undefined
        ? { ...obstacle, since: format(obstacle.since) }
        : obstacle,
    ),
  };
}
