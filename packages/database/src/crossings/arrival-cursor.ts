/** A position in the order in which crossings become readable; everything up to it was read. */
export interface ArrivalPlace {
  /** 64-bit numbers are text. */
  readonly transaction: string;
  readonly journalId: number;
  readonly sequence: string;
}

/** Where a reader continues. */
export interface ArrivalCursor extends ArrivalPlace {
  /** The history of the database that the position belongs to; undefined until a reader has read from it. */
  readonly history: string | undefined;
  /** The last crossing that was read before the position, if that is not the position itself. */
  readonly witness: ArrivalPlace | undefined;
}

/** Before all crossings; the numbers of transactions begin above 0. */
export const firstArrival: ArrivalCursor = {
  transaction: '0',
  journalId: 0,
  sequence: '0',
  history: undefined,
  witness: undefined,
};

/** After all crossings of a transaction. */
export const afterAll = { journalId: 2 ** 31 - 1, sequence: String(2n ** 63n - 1n) };

/** The last crossing before a cursor, if the cursor names one. */
export function lastBefore({
  witness,
  transaction,
  journalId,
  sequence,
}: ArrivalCursor): ArrivalPlace | undefined {
  const isCrossing = journalId > 0 && journalId < afterAll.journalId;
  return witness ?? (isCrossing ? { transaction, journalId, sequence } : undefined);
}

/** A cursor as text that needs no escaping in a URL. */
export function encodeArrivalCursor({ history, witness, ...place }: ArrivalCursor): string {
  const parts = [history, ...textOf(place), ...(witness ? textOf(witness) : [])];
  return parts.join('.');
}

function textOf({ transaction, journalId, sequence }: ArrivalPlace): string[] {
  return [transaction, String(journalId), sequence];
}

const place = String.raw`(\d{1,19})\.(\d{1,10})\.(\d{1,19})`;
const written = new RegExp(String.raw`^(\d{15})\.${place}(?:\.${place})?$`);

/** Reads what `encodeArrivalCursor` wrote; undefined for everything else. */
export function decodeArrivalCursor(text: string): ArrivalCursor | undefined {
  const found = written.exec(text);
  if (found === null) return undefined;
  const at = placeOf(found[2], found[3], found[4]);
  const witness = placeOf(found[5], found[6], found[7]);
  if (at === undefined || (found[5] !== undefined && witness === undefined)) return undefined;
  return { ...at, history: found[1], witness };
}

function placeOf(transaction = '', journal = '', sequence = ''): ArrivalPlace | undefined {
  const fits = (number: string, bits: number) =>
    number !== '' && BigInt.asIntN(bits, BigInt(number)) === BigInt(number);
  if (!fits(transaction, 64) || !fits(journal, 32) || !fits(sequence, 64)) return undefined;
  return { transaction, journalId: Number(journal), sequence };
}
