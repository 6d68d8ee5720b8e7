import Type, { type Static, type TObject } from 'typebox';

/** What an operation answers with: a list of these. */
export interface RecordDescription {
  readonly name: string;
  readonly description: string;
  /** All fields are required, and in the order of the document. */
  readonly schema: TObject;
}

/** The largest integer of what a WSDL document calls int. */
const largestInt = 2 ** 31 - 1;

/** A record of the four count operations. */
export type CountEvent = Readonly<Static<typeof countEvent.schema>>;

export const countEvent = {
  name: 'CountEvent',
  description: 'Somebody entered or left a store.',
  schema: Type.Object({
    DateTime: Type.String({
      description: 'When, as in RFC 3339, in the store’s time zone with its offset at that instant.',
      format: 'date-time',
      examples: ['2026-11-20T10:15:30.123+01:00'],
    }),
    StoreName: Type.String({
      description: 'Name of the store where the event happened.',
      examples: ['Main Door'],
    }),
    Amount: Type.Integer({
      description: 'People inside the whole store after the event.',
      examples: [12],
      minimum: 0,
      maximum: largestInt,
    }),
  }),
} satisfies RecordDescription;

/** A record of GetLifeSignalInactive. */
export type InactiveDeviceRecord = Readonly<Static<typeof inactiveDevice.schema>>;

const text = (description: string, example: string) => Type.String({ description, examples: [example] });
const id = (description: string, example: number) =>
  Type.Integer({ description, examples: [example], minimum: 1, maximum: largestInt });

export const inactiveDevice = {
  name: 'InactiveDevice',
  description: 'A device that was silent for a while.',
  schema: Type.Object({
    Id: id('Device id.', 4),
    SerialNumber: text('Serial number of the device.', 'CU-0005'),
    Name: text('Name of the device.', 'CU-0005'),
    LastActivity: Type.String({
      description:
        'Last communication with the server, or the registration of a device that has never connected; as in ' +
        'RFC 3339, in the store’s time zone.',
      format: 'date-time',
      examples: ['2026-11-19T18:00:00.000-08:00'],
    }),
    SID: text('Store id.', 'S-2'),
    ShopName: text('Name of the store.', 'Annex'),
    Address: text('Address of the store.', '1 High St'),
    City: text('City of the store.', 'Irvine'),
    CompanyId: id('Company id.', 1),
  }),
} satisfies RecordDescription;

export function fieldNames({ schema }: RecordDescription): string[] {
  return Object.keys(schema.properties);
}

/**
 * Count events of one store in columns, for answers of millions of records: the i-th has the i-th entry of
 * each, for every i below `length`. Valid until the next batch is requested.
 */
export class EventColumns {
  storeName = '';
  timeZone = 'UTC';
  length = 0;
  /** Epoch ms. */
  at = new Float64Array();
  amount = new Int32Array();

  /** Empties it, with room for so many. */
  clear(room: number): void {
    this.length = 0;
    if (this.at.length >= room) return;
    this.at = new Float64Array(room);
    this.amount = new Int32Array(room);
  }

  add(at: number, amount: number): void {
    this.at[this.length] = at;
    this.amount[this.length] = amount;
    this.length += 1;
  }
}
