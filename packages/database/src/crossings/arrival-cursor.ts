/** A position in the order in which crossings become readable; everything up to it was read. */
export interface ArrivalPlace {
  /** 64-bit numbers are text. */
  readonly transaction: string;
  readonly journalId: number;
  readonly sequence: string;
}

/** Where a reader continues. */
export interface ArrivalCursor extends ArrivalPlace {
  /** The epoch of the database that the position belongs to; undefined until a reader has read from it. */
  readonly epoch: string | undefined;
}

/** Before all crossings; the numbers of transactions begin above 0. */
export const firstArrival: ArrivalCursor = {
  transaction: '0',
  journalId: 0,
  sequence: '0',
  epoch: undefined,
};

/** After all crossings of a transaction. */
export const afterAll = { journalId: 2 ** 31 - 1, sequence: String(2n ** 63n - 1n) };

/** A cursor as text that needs no escaping in a URL. */
export function encodeArrivalCursor({ epoch, transaction, journalId, sequence }: ArrivalCursor): string {
  return [epoch, transaction, journalId, sequence].join('.');
}

const written = /^([0-9a-f]{24})\.(\d{1,19})\.(\d{1,10})\.(\d{1,19})$/;

/** Reads what `encodeArrivalCursor` wrote; undefined for everything else. */
export function decodeArrivalCursor(text: string): ArrivalCursor | undefined {
  const [, epoch, transaction = '', journal = '', sequence = ''] = written.exec(text) ?? [];
  const fits = (number: string, bits: number) => BigInt.asIntN(bits, BigInt(number)) === BigInt(number);
  if (epoch === undefined || !fits(transaction, 64) || !fits(journal, 32) || !fits(sequence, 64))
    return undefined;
  return { epoch, transaction, journalId: Number(journal), sequence };
}
