import type { Text } from './en.ts';

export const stores = {
  nothing: 'Trgovin še ni.',
  trend: { up: 'Se polni', down: 'Se prazni', level: 'Enako' },
  devices: {
    heading: 'Števci',
    columns: [
      'Števec',
      'Trgovina',
      'Stanje',
      'Nazadnje viden',
      'Svetlobni žarki',
      'Še za oddati',
      'Različica',
    ],
    online: 'Povezan',
    offline: 'Ni povezan',
    never: 'nikoli',
    beam: (position, isBlocked) => `${position}: ${isBlocked ? 'zakrit' : 'prost'}`,
    none: 'Števcev še ni.',
  },
  wall: {
    fullScreen: 'Cel zaslon',
    leave: 'Nazaj',
    lost: 'Ni povezave',
    asOf: (time) => `zadnja posodobitev ob ${time}`,
  },
} satisfies Partial<Text>;
