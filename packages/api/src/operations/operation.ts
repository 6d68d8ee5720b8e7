import type { RecordShape } from '../formats/format.ts';
import type { ParameterList, Parameters } from '../parameters/parameters.ts';

/** One call of an operation, read but not yet judged. */
export interface Call {
  readonly parameters: Parameters;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
}

/**
 * An operation of the interface: it yields records, and a format writes them.
 *
 * Records have the document's fields in the document's order. They come in batches, some of them empty, so
 * that an answer begins before the last record is known. What the caller did wrong is thrown as a Problem
 * before the first batch. Whoever stops reading early must close the iterator (`return`), which gives the
 * database connection back.
 */
export interface Operation {
  readonly name: string;
  readonly parameters: ParameterList;
  readonly record: RecordShape;
  answer(call: Call): AsyncGenerator<readonly object[], void>;
}

/** A record of the four count operations. */
export interface CountEvent {
  /** RFC 3339 with the store's offset at that instant. */
  readonly DateTime: string;
  readonly StoreName: string;
  /** People in the store after the event. */
  readonly Amount: number;
}

/** A record of GetLifeSignalInactive. */
export interface InactiveDeviceRecord {
  readonly Id: number;
  readonly SerialNumber: string;
  readonly Name: string;
  readonly LastActivity: string;
  readonly SID: string;
  readonly ShopName: string;
  readonly Address: string;
  readonly City: string;
  readonly CompanyId: number;
}

export const countEvent = { name: 'CountEvent', fields: ['DateTime', 'StoreName', 'Amount'] };
export const inactiveDevice = {
  name: 'InactiveDevice',
  fields: ['Id', 'SerialNumber', 'Name', 'LastActivity', 'SID', 'ShopName', 'Address', 'City', 'CompanyId'],
};
