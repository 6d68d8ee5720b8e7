import { compareCrossings, type PlacedCrossing } from '@visitor-counter/domain/crossing';

/** Instant, device, journal, sequence, direction. */
const fields = 5;

/** Room for so many at first. */
const firstRoom = 8;

/**
 * Crossings in their order, few of which come late. They lie in one array of numbers, not in an object each: so many
 * live so long that the garbage collector would move each of them twice, and then find it dead among what it leaves
 * alone.
 */
export class RecentCrossings {
  #numbers = new Float64Array(fields * firstRoom);
  #length = 0;
  /** Journals, by the numbers that stand for them. */
  #journals: string[] = [];
  #numberOfJournal = new Map<string, number>();

  get length(): number {
    return this.#length;
  }

  add(crossing: PlacedCrossing): void {
    let place = this.#length;
    while (place > 0 && this.#isBehind(place - 1, crossing)) place -= 1;
    this.#makeRoom(place);
    this.#put(place, crossing);
    this.#length += 1;
  }

  /** Those at `from` (epoch ms) or later. */
  since(from: number): PlacedCrossing[] {
    let first = this.#length;
    while (first > 0 && this.#instant(first - 1) >= from) first -= 1;
    return Array.from({ length: this.#length - first }, (_, index) => this.#crossing(first + index));
  }

  /** Forgets the earliest so that fewer than `count` are left, and gives the latest instant (epoch ms) of those. */
  forgetUntilFewerThan(count: number): number {
    const latest = this.#instant(this.#length - count);
    let left = this.#length - count + 1;
    while (left < this.#length && this.#instant(left) === latest) left += 1;
    const kept = this.#numbers.subarray(fields * left, fields * this.#length);
    /* What had room for a backlog does not keep it. */
    if (this.#numbers.length > 4 * fields * count) this.#numbers = new Float64Array(fields * count);
    this.#numbers.set(kept);
    this.#length -= left;
    this.#forgetJournals();
    return latest;
  }

  #makeRoom(place: number): void {
    const end = fields * this.#length;
    if (end === this.#numbers.length) {
      const larger = new Float64Array(2 * end);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    if (place < this.#length) this.#numbers.copyWithin(fields * (place + 1), fields * place, end);
  }

  #put(place: number, { at, device, journal, sequence, direction }: PlacedCrossing): void {
    const begin = fields * place;
    this.#numbers[begin] = at;
    this.#numbers[begin + 1] = device;
    this.#numbers[begin + 2] = this.#numberOf(journal);
    this.#numbers[begin + 3] = sequence;
    this.#numbers[begin + 4] = direction;
  }

  #numberOf(journal: string): number {
    const known = this.#numberOfJournal.get(journal);
    if (known !== undefined) return known;
    this.#numberOfJournal.set(journal, this.#journals.length);
    return this.#journals.push(journal) - 1;
  }

  /** Those that nothing is left of: a device may begin a new one as often as it likes. */
  #forgetJournals(): void {
    const before = this.#journals;
    this.#journals = [];
    this.#numberOfJournal = new Map();
    for (let at = 2; at < fields * this.#length; at += fields) {
      this.#numbers[at] = this.#numberOf(before[this.#numbers[at] ?? 0] ?? '');
    }
  }

  #isBehind(index: number, crossing: PlacedCrossing): boolean {
    const later = this.#instant(index) - crossing.at;
    return later > 0 || (later === 0 && compareCrossings(this.#crossing(index), crossing) > 0);
  }

  #instant(index: number): number {
    return this.#numbers[fields * index] ?? 0;
  }

  #crossing(index: number): PlacedCrossing {
    const begin = fields * index;
    return {
      at: this.#numbers[begin] ?? 0,
      device: this.#numbers[begin + 1] ?? 0,
      journal: this.#journals[this.#numbers[begin + 2] ?? 0] ?? '',
      sequence: this.#numbers[begin + 3] ?? 0,
      direction: this.#numbers[begin + 4] === 1 ? 1 : -1,
    };
  }
}
