import type { Text } from './en.ts';

export const stores = {
  nothing: 'Es gibt noch keine Filialen.',
  trend: { up: 'Wird voller', down: 'Wird leerer', level: 'Gleichbleibend' },
  devices: {
    heading: 'Zähler',
    columns: [
      'Zähler',
      'Filiale',
      'Zustand',
      'Zuletzt gesehen',
      'Lichtschranken',
      'Noch zu liefern',
      'Version',
    ],
    online: 'Online',
    offline: 'Offline',
    never: 'nie',
    beam: (position, isBlocked) => `${position}: ${isBlocked ? 'verdeckt' : 'frei'}`,
    none: 'Es gibt noch keine Zähler.',
  },
  wall: {
    fullScreen: 'Vollbild',
    leave: 'Zurück',
    lost: 'Keine Verbindung',
    asOf: (time) => `Stand ${time}`,
  },
} satisfies Partial<Text>;
