import { isDeepStrictEqual } from 'node:util';

/** The fields of an entry by their names in the file, as they are stored (undefined if it is new) and as wanted. */
export interface EntryFields {
  readonly stored: Fields | undefined;
  readonly wanted: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

/** A value that is or contains a secret: it is compared, and the audit log has only `shown` of it. */
export class Confidential {
  readonly value: string | null;
  readonly shown: string;

  constructor(value: string | null, shown = '…') {
    this.value = value;
    this.shown = shown;
  }
}

/** The names of the fields that differ; of an entry that is stored. */
export function fieldsThatDiffer({ stored = {}, wanted }: EntryFields): string[] {
  return Object.keys(wanted).filter((name) => !isDeepStrictEqual(stored[name], wanted[name]));
}

/** What the audit log says about the fields of an entry: all values of a new one, else what differs, before and after. */
export function valuesToRecord({ stored, wanted }: EntryFields): Fields {
  if (stored === undefined)
    return Object.fromEntries(
      Object.entries(wanted).flatMap(([name, value]) => (isEmpty(value) ? [] : [[name, shown(value)]])),
    );
  const differing = fieldsThatDiffer({ stored, wanted });
  return Object.fromEntries(
    differing.map((name) => [name, { from: shown(stored[name]), to: shown(wanted[name]) }]),
  );
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function shown(value: unknown): unknown {
  return value instanceof Confidential ? value.shown : (value ?? null);
}

/** A set as fields have it: sorted, so that equal sets are equal. */
export function sorted(values: Iterable<string> | null): readonly string[] | null {
  return values && [...values].toSorted();
}
