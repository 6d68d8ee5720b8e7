import type { Crossing } from '@visitor-counter/domain/crossing';
import { createLogger } from '@visitor-counter/service/logger';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { type ReadFault, type ReadPart, withReadFaults } from '../../test/read-faults.ts';
import { JournalDelivery } from '../uplink/journal-delivery.ts';
import { defaultUplinkSettings } from '../uplink/uplink-settings.ts';
import type { FileSystem } from './file-system.ts';
import type { Journal } from './journal.ts';
import { JournalFailed } from './journal-errors.ts';
import { openJournal } from './open-journal.ts';

const crossings = (from: number, count: number): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({ at: (from + index) * 1_000, direction: 1 }));

const silent = createLogger('test', { LOG_LEVEL: 'silent' });

/** The reads that fail now. */
interface Card {
  fault: ReadFault | undefined;
  /** Sectors that fail permanently, by file and number. */
  readonly bad: Set<string>;
}

function faultOf(card: Card, { operation, path, from, until }: ReadPart): ReadFault | undefined {
  if (card.fault) return card.fault;
  if (operation !== 'read' || !path.endsWith('.journal')) return undefined;
  const sectors = Array.from({ length: Math.ceil(until / 512) - Math.floor(from / 512) }, (_, index) =>
    [path, Math.floor(from / 512) + index].join(' '),
  );
  return sectors.some((sector) => card.bad.has(sector)) ? { code: 'EIO' } : undefined;
}

/** A clock that advances only during pauses, which take no real time. */
class TestClock {
  now = 0;

  readonly pause = async (ms: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    this.now += ms;
  };
}

/** A unit with this card, and what the server has received from it. */
class Unit {
  readonly card: Card = { fault: undefined, bad: new Set() };
  readonly clock = new TestClock();
  readonly sent = new Set<number>();
  /** How often a sequence was declared lost. */
  declarations = 0;
  readonly #files = withReadFaults(memoryFileSystem(new Map()), (part) => {
    if (this.clock.now >= this.#faultEnds) this.card.fault = undefined;
    return faultOf(this.card, part);
  });
  #faultEnds = 0;
  #id: string | undefined;
  #journal: Journal | undefined;
  #sender: JournalDelivery | undefined;
  #recorded = 0;

  /** All reads fail for so long (ms). */
  async failFor(fault: ReadFault, ms: number): Promise<void> {
    this.card.fault = fault;
    this.#faultEnds = this.clock.now + ms;
    await this.clock.pause(1);
  }

  /** Restarts until the start succeeds, as systemd does. */
  async restart(): Promise<Journal> {
    await this.stop();
    for (;;) {
      const journal = await openJournal('/', {
        files: this.#files,
        recordsPerSegment: 40,
        rereadFor: 30,
        recheckFor: 200,
        keepFor: 1e12,
        retryEvery: 20,
        monotonic: () => this.clock.now,
        pause: this.clock.pause,
      }).catch(() => undefined);
      if (!journal) {
        await this.clock.pause(1);
        continue;
      }
      this.#id ??= journal.id;
      expect(journal.id).toBe(this.#id);
      expect(journal.recorded).toBeGreaterThanOrEqual(this.#recorded);
      this.#journal = journal;
      this.#connect(journal);
      this.expectTrue();
      return journal;
    }
  }

  async append(count: number): Promise<void> {
    const wanted = this.#recorded + count;
    for (;;) {
      const journal = this.#journal ?? (await this.restart());
      try {
        await journal.append(crossings(journal.recorded + 1, Math.max(0, wanted - journal.recorded)));
        this.#recorded = journal.recorded;
        return;
      } catch (error) {
        /* The process would end, and start again. */
        if (!(error instanceof JournalFailed)) throw error;
        await this.stop();
      }
    }
  }

  async stop(): Promise<void> {
    this.#sender?.stop();
    await this.#journal?.close();
    this.#journal = undefined;
  }

  /** Resolves when everything is acknowledged. */
  async drained(): Promise<void> {
    const journal = this.#journal ?? (await this.restart());
    while (journal.acknowledged < journal.recorded) {
      await this.clock.pause(5);
      this.expectTrue();
    }
  }

  /** Every acknowledged sequence was sent or is declared lost. */
  expectTrue(): void {
    const { acknowledged = 0, lost = [] } = this.#journal ?? {};
    const declared = (sequence: number) => lost.some(([a, b]) => a <= sequence && sequence <= b);
    for (let sequence = 1; sequence <= acknowledged; sequence += 1)
      expect(this.sent.has(sequence) || declared(sequence)).toBe(true);
  }

  #connect(journal: Journal): void {
    const sender = new JournalDelivery({
      journal,
      settings: {
        ...defaultUplinkSettings,
        window: 3,
        crossingsPerMessage: 7,
        backOff: { first: 1, longest: 1 },
      },
      publish: async (_id, run) => {
        await new Promise((resolve) => setImmediate(resolve));
        for (const { sequence, at } of run) {
          expect(at).toBe(sequence * 1_000);
          this.sent.add(sequence);
        }
      },
      log: silent,
      onError: (error) => {
        throw error;
      },
    });
    this.#sender = sender;
    journal.changes.durable.add(() => sender.wake());
    journal.changes.lost.add(() => {
      this.declarations += 1;
      sender.wake();
    });
    sender.start();
  }
}

const code = fc.constantFrom('EIO', 'ENXIO', 'EREMOTEIO', 'ETIMEDOUT');
const fault = fc.oneof(
  code.map((name): ReadFault => ({ code: name })),
  fc.constantFrom<ReadFault>('short', 'garbage'),
);
const step = fc.oneof(
  fc.record({ append: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ fault, ms: fc.integer({ min: 1, max: 80 }), restarts: fc.boolean() }),
  fc.record({ bad: fc.tuple(fc.constantFrom(1, 41, 81), fc.nat(2)) }),
  fc.record({ restarts: fc.constant(true) }),
);

test('acknowledges only sequences that were sent or declared lost, whichever reads fail and for how long', async () => {
  let declarations = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const unit = new Unit();
      await unit.append(5);
      for (const next of steps) {
        if ('append' in next) await unit.append(next.append);
        if ('bad' in next) {
          const [first, sector] = next.bad;
          unit.card.bad.add(`/${String(first).padStart(16, '0')}.journal ${sector}`);
        }
        if ('fault' in next) await unit.failFor(next.fault, next.ms);
        if ('restarts' in next && next.restarts) await unit.restart();
        unit.expectTrue();
      }
      await unit.append(1);
      await unit.drained();
      await unit.restart();
      await unit.stop();
      declarations += unit.declarations;
    }),
    { numRuns: 200 },
  );
  expect(declarations).toBeGreaterThan(0);
});

/** A journal of 100 crossings, and the card it is on. */
async function hundred() {
  const card: Card = { fault: undefined, bad: new Set() };
  const unreadable: number[] = [];
  const files = withReadFaults(memoryFileSystem(new Map()), (part) => faultOf(card, part));
  const open = (rereadFor = 20_000) =>
    openJournal('/', { files, rereadFor, keepFor: 1e12, onUnreadable: ([first]) => unreadable.push(first) });
  const journal = await open();
  await journal.append(crossings(1, 100));
  return { card, journal, open, unreadable };
}

test.each([
  { code: 'EIO' },
  { code: 'ENXIO' },
  { code: 'EREMOTEIO' },
  { code: 'ETIMEDOUT' },
  'short',
  'garbage',
] as const)(
  'retries an unreadable crossing while the disk fails, and reads no later one: %o',
  async (readFault) => {
    const { card, journal, unreadable } = await hundred();
    card.fault = readFault;
    const reading = journal.read(1, 100);
    setTimeout(() => {
      card.fault = undefined;
    }, 300);
    expect((await reading)[0]?.sequence).toBe(1);
    expect(journal.lost).toEqual([]);
    expect(unreadable).toHaveLength(1);
    await journal.close();
  },
);

test('declares sequences lost that stay unreadable, while the journal is open and after a restart', async () => {
  const { card, journal, open } = await hundred();
  await journal.close();
  const patient = await open(100);
  card.bad.add('/0000000000000001.journal 1');
  const reported: unknown[] = [];
  patient.changes.lost.add(() => reported.push(patient.lost));

  expect(await patient.read(1, 100)).toHaveLength(12);
  expect((await patient.read(13, 100))[0]?.sequence).toBe(29);

  expect(reported).toEqual([[[13, 28]]]);
  expect(patient.lostAt(13)).toEqual([13, 28]);
  expect(patient.lostAt(29)).toBeUndefined();
  patient.acknowledge(100, 100_000);
  await patient.close();
  card.bad.clear();
  const again = await open(100);
  expect(again).toMatchObject({ acknowledged: 100, lost: [[13, 28]] });
  await again.close();
});

test('declares nothing lost and reads no later crossing while the declaration cannot be stored', async () => {
  const card: Card = { fault: undefined, bad: new Set() };
  const memory = memoryFileSystem(new Map());
  let isReadOnly = false;
  const create: FileSystem['create'] = async (path) => {
    if (isReadOnly) throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
    return memory.create(path);
  };
  const files = withReadFaults({ ...memory, create }, (part) => faultOf(card, part));
  const journal = await openJournal('/', { files, rereadFor: 50 });
  await journal.append(crossings(1, 100));
  card.bad.add('/0000000000000001.journal 0');
  isReadOnly = true;
  await expect(journal.read(1, 100)).rejects.toThrow('EROFS');
  expect(journal.lost).toEqual([]);
  isReadOnly = false;
  expect((await journal.read(1, 100))[0]?.sequence).toBe(13);
  expect(journal.lost).toEqual([[1, 12]]);
  await journal.close();
});

test('continues with the next segment, without a retry, if the cleaner frees the one that a resend reads', async () => {
  const contents: MemoryFiles = new Map();
  const memory = memoryFileSystem(contents);
  const disk = { beforeOpening: async () => {} };
  const open = async (path: string) => {
    if (path === '/0000000000000001.journal') await disk.beforeOpening();
    if (!contents.has(path)) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
    return memory.open(path);
  };
  const journal = await openJournal('/', {
    files: { ...memory, open },
    recordsPerSegment: 4,
    limit: 2 * (128 + 4 * 32),
    keepFor: 1e12,
    pause: () => expect.unreachable('nothing is retried'),
  });
  await journal.append(crossings(1, 8));
  journal.acknowledge(4, 4_000);
  /* The journal has reached its limit. */
  disk.beforeOpening = () => journal.append(crossings(9, 1));

  expect(await journal.read(1, 4)).toMatchObject([5, 6, 7, 8].map((sequence) => ({ sequence })));
  expect(journal.lost).toEqual([]);
  await journal.close();
});

test('ends a read that is retried when the journal is closed, and declares nothing lost afterwards', async () => {
  const { card, journal } = await hundred();
  card.fault = { code: 'EIO' };
  const ended = expect(journal.read(1, 100)).rejects.toThrow('the journal was closed while it was read');
  await journal.close();
  await ended;
  expect(journal.lost).toEqual([]);
});
