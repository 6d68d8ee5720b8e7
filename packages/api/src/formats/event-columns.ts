/**
 * Count events of one store in columns, for answers of millions of records: the i-th has the i-th entry of
 * each, for every i below `length`. Valid until the next batch is asked for.
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
