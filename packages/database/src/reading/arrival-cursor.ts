/** A place in the order in which crossings become readable; everything up to it was read. */
export interface ArrivalCursor {
  /** 64-bit numbers are text. */
  readonly transaction: string;
  readonly journalId: number;
  readonly sequence: string;
}

/** Before all crossings; the numbers of those that were stored before transactions were kept begin here. */
export const firstArrival: ArrivalCursor = { transaction: '-9000000000000000', journalId: 0, sequence: '0' };

/** A cursor as text that can stand in a URL. */
export function encodeArrivalCursor({ transaction, journalId, sequence }: ArrivalCursor): string {
  return `${transaction}.${journalId}.${sequence}`;
}

/** Reads what `encodeArrivalCursor` wrote; undefined for everything else. */
export function decodeArrivalCursor(text: string): ArrivalCursor | undefined {
  const [, transaction = '', journal = '', sequence = ''] =
    /^(-?\d{1,19})\.(\d{1,10})\.(\d{1,19})$/.exec(text) ?? [];
  const fits = (number: string, bits: number) =>
    number !== '' && BigInt.asIntN(bits, BigInt(number)) === BigInt(number);
  if (!fits(transaction, 64) || !fits(journal, 32) || !fits(sequence, 64)) return undefined;
  return { transaction, journalId: Number(journal), sequence };
}
