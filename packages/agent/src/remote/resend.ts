import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { Logger } from '@visitor-counter/service/logger';
import { pause } from '@visitor-counter/service/pause';
import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import type { UnitCommand } from '@visitor-counter/wire/gateway-messages';
import { maxMissingRanges } from '@visitor-counter/wire/limits';
import type { Journal } from '../journal/journal.ts';
import type { Uplink } from '../uplink/uplink.ts';
import { type CommandResult, type KnownCommand, type RemoteMemory, textOf } from './remote-memory.ts';

export interface ResendParts {
  readonly journal: Pick<Journal, 'id' | 'recorded' | 'acknowledged' | 'readNow'>;
  readonly memory: RemoteMemory;
  readonly uplink: Pick<Uplink, 'untilConnected' | 'send' | 'report'>;
  readonly log: Logger;
  /** Crossings in one message. */
  readonly most: number;
}

/** How often a heartbeat reports the progress (ms). */
const reportEvery = 5_000;
/** How often the position is stored (ms): redelivery after a crash is harmless, wear of the card is not. */
const storeEvery = 60_000;

type ResendOrder = Extract<UnitCommand, { command: 'resend' }>;

/** The progress of a resend; `range` is still to be sent. */
type Progress = Required<Pick<KnownCommand, 'sent' | 'total' | 'missing' | 'range'>>;

/**
 * Sends acknowledged crossings again, one message after the other, while new crossings are delivered over the same
 * connection. Continues where a previous run stopped. Each message is repeated until the server acknowledges it.
 *
 * Resolves with `done` or with `failed` and the problem; rejects when `signal` aborts.
 */
export async function runResend(
  { order, ...known }: KnownCommand & { readonly order: ResendOrder },
  parts: ResendParts,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { journal, memory, uplink, log } = parts;
  const wanted = known.range?.journal ?? ('journal' in order ? order.journal : journal.id);
  if (wanted !== journal.id) return endedJournal(wanted, order, known, memory);
  try {
    const { sent = 0, total = 0, missing = [], range } = known;
    const progress = range ? { sent, total, missing, range } : await begin(order, parts, signal);
    const about = { id: order.id, sent: progress.sent, total: progress.total };
    log.info({ ...about, ...progress.range }, range ? 'resend resumed' : 'resend started');
    memory.update(order.id, progress);
    await memory.trySave();
    void uplink.report();
    return await sendAll(order, progress, parts, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error({ id: order.id, err: error }, 'the journal cannot be read');
    return { state: 'failed', problem: `the journal cannot be read: ${textOf(error)}` };
  }
}

/**
 * The crossings of an ended journal are no longer on the disk. The sequences that were not sent are reported as missing, so
 * that the server declares them lost instead of requesting them again.
 */
function endedJournal(
  name: string,
  order: ResendOrder,
  { range, sent = 0, total = 0, missing = [] }: Omit<KnownCommand, 'order'>,
  memory: ResendParts['memory'],
): CommandResult {
  const problem = `the unit no longer uses the journal ${name}`;
  if (!('first' in order)) return { state: 'failed', problem };
  const rest = [[range?.next ?? order.first, order.last]] satisfies SequenceRange[];
  memory.update(order.id, { sent, total, missing: inOrder(rest, missing) });
  return { state: 'done', problem };
}

/** The sequences to send, and the number of their crossings. */
async function begin(order: ResendOrder, parts: ResendParts, signal: AbortSignal): Promise<Progress> {
  const { journal, most } = parts;
  const last = 'last' in order ? Math.min(order.last, journal.acknowledged) : journal.acknowledged;
  const range = { journal: journal.id, next: 'first' in order ? order.first : 1, last };
  if ('from' in order) {
    let total = 0;
    const all = readForResend(journal, { ...order, ...range }, most, signal);
    for await (const { crossings } of all) total += crossings.length;
    return { sent: 0, total, missing: [], range };
  }
  /* Sequences that were never recorded: the end of the journal was lost, or an older card was inserted. */
  const unknown = Math.max(order.first, journal.recorded + 1);
  const missing: SequenceRange[] = unknown <= order.last ? [[unknown, order.last]] : [];
  const total = Math.max(0, last - order.first + 1) + Math.max(0, order.last - unknown + 1);
  return { sent: 0, total, missing, range };
}

async function sendAll(
  order: ResendOrder,
  begun: Progress,
  parts: ResendParts,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { journal, memory, uplink, most } = parts;
  const reporting = setInterval(() => void uplink.report(), reportEvery);
  const storing = setInterval(() => void memory.trySave(), storeEvery);
  let { sent, missing, range } = begun;
  try {
    for await (const part of readForResend(journal, { ...order, ...range }, most, signal)) {
      if (part.crossings.length > 0) await send(order, part.crossings, parts, signal);
      sent += part.crossings.length;
      missing = inOrder(part.missing, missing);
      range = { ...range, next: part.next };
      memory.update(order.id, { sent, missing, range });
    }
  } finally {
    clearInterval(reporting);
    clearInterval(storing);
  }
  const more = missing.length - maxMissingRanges;
  return { state: 'done', ...(more > 0 && { problem: `${more} more ranges of sequences are missing` }) };
}

/** Sends one message until it is acknowledged, over as many connections as necessary. */
async function send(
  { id }: ResendOrder,
  crossings: readonly NumberedCrossing[],
  { journal, uplink, log }: ResendParts,
  signal: AbortSignal,
): Promise<void> {
  const first = crossings[0]?.sequence ?? 0;
  const message = encodeCrossings({ journal: journal.id, first, crossings });
  for (let tries = 1; ; tries += 1) {
    await uplink.untilConnected(signal);
    if (tries > 1) log.info({ id, next: first }, 'resend resumed');
    if (await uplink.send('crossings', message)) return;
    log.warn({ id, next: first }, 'resend interrupted');
  }
}

function inOrder(ranges: readonly SequenceRange[], others: readonly SequenceRange[]): SequenceRange[] {
  return [...ranges, ...others].sort(([a], [b]) => a - b);
}

/** Both included. */
type SequenceRange = [first: number, last: number];

/** The crossings to send again: the sequences `next` to `last` with instants `from` to `until` (epoch ms); bounds included. */
export interface ResendScope {
  readonly next: number;
  readonly last: number;
  readonly from?: number;
  readonly until?: number;
}

/** Some consecutive crossings to send, and the sequences before or after them that the journal no longer has. */
export interface ResendPart {
  readonly crossings: readonly NumberedCrossing[];
  readonly missing: readonly SequenceRange[];
  /** The sequence to continue with. */
  readonly next: number;
}

/** Reads the crossings of a scope from the journal, at most `most` at a time. Rejects when it cannot be read. */
export async function* readForResend(
  journal: Pick<Journal, 'readNow'>,
  scope: ResendScope,
  most: number,
  signal: AbortSignal,
): AsyncGenerator<ResendPart> {
  const { last, from = 0, until = Number.POSITIVE_INFINITY } = scope;
  const isWanted = ({ at }: NumberedCrossing) => at >= from && at <= until;
  let before = Number.NEGATIVE_INFINITY;
  for (let { next } = scope; next <= last; ) {
    const read = await readPatiently(journal, next, most, signal);
    const batch = read.filter(({ sequence }) => sequence <= last);
    const gapEnd = (batch[0]?.sequence ?? last + 1) - 1;
    const after = batch[0]?.at ?? Number.POSITIVE_INFINITY;
    /* A gap between two crossings before the range of instants, or two after it, is outside of it. */
    const isAboutRange = gapEnd >= next && after >= from && before <= until;
    const crossings = batch.slice(batch.findIndex(isWanted), batch.findLastIndex(isWanted) + 1);
    const missing: SequenceRange[] = isAboutRange ? [[next, gapEnd]] : [];
    before = batch.at(-1)?.at ?? before;
    next = (batch.at(-1)?.sequence ?? last) + 1;
    yield { crossings, missing, next };
  }
}

/** Pauses between attempts to read the journal (ms); after the last one the resend fails. */
const readPauses = [250, 500, 1_000, 2_000, 4_000, 8_000];

/** Reads with a limited number of retries. What cannot be read yet must not be reported as missing. */
async function readPatiently(
  journal: Pick<Journal, 'readNow'>,
  from: number,
  max: number,
  signal: AbortSignal,
): Promise<readonly NumberedCrossing[]> {
  for (const ms of readPauses) {
    signal.throwIfAborted();
    try {
      return journal.readNow(from, max);
    } catch {
      await pause(ms, signal);
    }
  }
  return journal.readNow(from, max);
}
