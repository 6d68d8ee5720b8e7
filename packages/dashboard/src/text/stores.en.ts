/** All stores, devices, the wall. */
export const stores = {
  nothing: 'There are no stores yet.',
  trend: { up: 'Filling', down: 'Emptying', level: 'Steady' },
  devices: {
    heading: 'Counters',
    columns: ['Counter', 'Store', 'State', 'Last seen', 'Beams', 'To deliver', 'Version'],
    online: 'Online',
    offline: 'Offline',
    never: 'never',
    beam: (position: number, isBlocked: boolean) => `${position}: ${isBlocked ? 'blocked' : 'clear'}`,
    none: 'There are no counters yet.',
  },
  wall: {
    fullScreen: 'Full screen',
    leave: 'Back',
    lost: 'No contact',
    asOf: (time: string) => `last update at ${time}`,
  },
};
