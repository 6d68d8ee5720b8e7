import { TokenBucket } from './token-bucket.ts';

/**
 * What attempts may fail: each takes a token before it begins, and gives it back unless it has failed. So no more are
 * under way at once than may still fail, and nothing is ever owed.
 */
export class AttemptBudget {
  readonly #bucket: TokenBucket;
  /** Told whether they may begin; there are none unless attempts are under way, whose end tells them. */
  #waiting: ((mayBegin: boolean) => void)[] = [];
  #underWay = 0;

  constructor(perMinute: number, now: number) {
    this.#bucket = new TokenBucket(perMinute, perMinute / 60, now);
  }

  /** Nothing is under way and nothing has failed of late. */
  get isWhole(): boolean {
    return this.#underWay === 0 && this.#bucket.isFull;
  }

  /** Whether an attempt may begin; where that depends on those under way, once it is known. */
  take(now: number): Promise<boolean> | boolean {
    if (this.#takeOne(now)) return true;
    if (this.#underWay === 0) return false;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** An attempt has failed. */
  spent(now: number): void {
    this.#underWay -= 1;
    this.#tellWaiting(now);
  }

  /** An attempt has not failed. */
  giveBack(now: number): void {
    this.#bucket.giveBack(1, now);
    this.spent(now);
  }

  #takeOne(now: number): boolean {
    if (!this.#bucket.hasOne(now)) return false;
    this.#bucket.spend(1, now);
    this.#underWay += 1;
    return true;
  }

  #tellWaiting(now: number): void {
    while (this.#waiting.length > 0 && this.#takeOne(now)) this.#waiting.shift()?.(true);
    if (this.#underWay > 0) return;
    for (const tell of this.#waiting) tell(false);
    this.#waiting = [];
  }
}
