import Type, { type TSchema } from 'typebox';

/* What the answers of /v1 are made of, as OpenAPI describes them. */

const text = (description: string) => Type.String({ description });
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const instant = (description: string) => Type.String({ description, format: 'date-time' });
const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const storeShape = Type.Object(
  {
    sid: text('Store id, unique in the company.'),
    name: text('Name of the store.'),
    address: text('Its address.'),
    city: text('Its city.'),
    timeZone: text('IANA time zone.'),
    dayStartsAt: text('Local time HH:MM at which the business day begins.'),
    capacity: orNull(count('Capacity in people.')),
    groups: Type.Array(Type.String(), { description: 'Shop groups that it is in.' }),
  },
  { $id: 'Store' },
);

const obstacle = Type.Object(
  {
    kind: Type.Enum([
      ...['offline', 'never-heard', 'backlog', 'backlog-unknown', 'missing', 'lost', 'conflict'],
      ...['beam-blocked', 'storage', 'direction-doubtful', 'clock-unsynced', 'no-devices'],
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

export const completenessShape = {
  completeUntil: orNull(instant('Everything counted until then has been delivered; null: not known.')),
  obstacles: Type.Array(obstacle),
};

const beam = Type.Object({
  name: text('Name of the beam.'),
  state: Type.Enum(['clear', 'blocked']),
  since: orNull(instant('Since when.')),
  breaks: orNull(count('How often it was broken.')),
});

export const deviceShape = Type.Object(
  {
    serial: text('Serial number.'),
    name: text('Name of the device.'),
    store: text('Store id.'),
    online: Type.Boolean({ description: 'Connected now.' }),
    onlineChangedAt: orNull(instant('Since when.')),
    lastActivityAt: orNull(instant('Its last message.')),
    heartbeatAt: orNull(instant('Its last heartbeat, the source of the fields that follow.')),
    version: orNull(text('Version of its program.')),
    uptime: orNull(Type.Number({ description: 'Seconds since its start.' })),
    clock: orNull(Type.Enum(['synced', 'unsynced'])),
    cpuTemperature: orNull(Type.Number({ description: '°C' })),
    diskFree: orNull(Type.Number({ description: 'Bytes' })),
    backlog: orNull(count('Crossings recorded and not delivered.')),
    lost: count('Crossings declared unreadable.'),
    beams: Type.Array(beam),
    ...completenessShape,
  },
  { $id: 'Device' },
);

export const occupancyShape = Type.Object(
  {
    store: text('Store id.'),
    name: text('Name of the store.'),
    occupancy: count('People inside now.'),
    capacity: orNull(count('Capacity of the store in people.')),
    lastChangeAt: instant('The latest crossing or correction of the day, or its start.'),
    day: Type.Object({
      date: Type.String({ description: 'The business day.', format: 'date' }),
      start: instant('Its start.'),
      end: instant('Its end.'),
    }),
    ...completenessShape,
  },
  { $id: 'StoreOccupancy' },
);

/** A list of items, and the cursor of the next page. */
export function listOf(item: TSchema) {
  return Type.Object({ items: Type.Array(item), next: orNull(text('Pass it as `after` to read on.')) });
}

/* Parameters; a description ends the sentence "<name> must be …". */

export const storeFilter = Type.Optional(Type.String({ description: 'the sid of a store', maxLength: 200 }));
export const after = Type.Optional(Type.String({ description: 'what `next` was', maxLength: 400 }));

export function limit(most: number) {
  return Type.Optional(
    Type.Integer({ description: `a whole number from 1 to ${most}`, minimum: 1, maximum: most }),
  );
}
