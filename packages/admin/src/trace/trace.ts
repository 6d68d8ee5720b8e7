import type { TracedCrossing } from '@visitor-counter/database/trace/read-trace';
import { utcText } from '@visitor-counter/domain/time';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { helpRows } from '@visitor-counter/service/command-line';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type ArgumentSpec, command } from '../command/command.ts';
import { withDatabase } from '../command/context.ts';
import { journalId } from '../command/options.ts';
import { instantText, inUtc, onOneLine } from '../command/text.ts';
import { type CrossingTrace, meanings, readCrossing } from './read-crossing.ts';

const names: ArgumentSpec<readonly string[]> = {
  name: '<serial-journal-sequence...>',
  description: 'the serial number, the id of the journal and the sequence of the crossing',
};

export const traceCommand = command({
  name: 'trace',
  description: 'Show one crossing on its way from its unit to the answers, with all known times.',
  argument: names,
  help: `
The journal and the sequence of a crossing are in /v1/crossings, in a rejected message, and in the log of its unit.

A crossing that was deleted because of its age (admin company list) is unknown.

${helpRows(Object.entries(meanings))}

Example:
  admin trace CU-0001 7c1f90aa 17`,
  run: async (context, _options, [serial = '', journal = '', sequence = '', ...others]) => {
    const isSequence = /^[1-9]\d{0,14}$/.test(sequence) && others.length === 0;
    if (journalId.parse(journal) === undefined || !isSequence) {
      const given = [serial, journal, sequence, ...others].join(' ').trim();
      const expected = `a serial number, ${journalId.expected}, and a sequence, a whole number, 1 or more`;
      throw new ConfigurationError(names.name, given, expected);
    }
    const trace = await withDatabase(context, (db) =>
      readCrossing(db, serial, { journal, sequence: Number(sequence) }),
    );
    return { json: jsonOf(trace), text: traceText(trace) };
  },
});

function jsonOf(trace: CrossingTrace): object {
  const { device, crossing, gaps, rejections } = trace;
  return {
    ...trace,
    device: inUtc(device),
    crossing: crossing && {
      ...crossing,
      projection: inUtc(crossing.projection),
    },
    gaps: gaps.map(inUtc),
    rejections: rejections.map(inUtc),
  };
}

function traceText(trace: CrossingTrace): string {
  const { device, journal, sequence, state } = trace;
  const sections = { unit: unitFacts, server: serverFacts, answers: answerFacts };
  const lines = Object.entries(sections).flatMap(([title, factsOf]) => {
    const known = factsOf(trace).filter(([, detail]) => detail);
    if (known.length === 0) return [];
    return ['', title, ...known.map(([what, detail]) => `  ${what.padEnd(16)}${detail}`)];
  });
  const name = `crossing ${sequence} of journal ${journal} of ${device.serial} (${device.name}), ${device.company}`;
  return [name, `${state}: ${meanings[state]}`, ...lines].map(onOneLine).join('\n');
}

/** Without a detail where it is not known. */
type Fact = readonly [what: string, detail: string | undefined];

function unitFacts({ crossing, device, heartbeat, journal }: CrossingTrace): Fact[] {
  const uncertain = crossing?.uncertainty ? `, uncertain by ${crossing.uncertainty} ms` : '';
  const { heartbeatAt, heartbeatJournal } = device;
  const { recorded = '?', acknowledged = '?', clock = 'unknown' } = heartbeat ?? {};
  const progress =
    heartbeatJournal === journal
      ? `${recorded} recorded and ${acknowledged} acknowledged in this journal`
      : `it writes journal ${heartbeatJournal ?? 'unknown'}`;
  const reported = heartbeatAt && `${instantText(heartbeatAt)}: ${progress}; clock ${clock}`;
  const way = crossing?.direction === 1 ? 'in' : 'out';
  return [
    ['crossed', crossing && `${utcText(crossing.at)}, ${way}${uncertain}`],
    ['last heartbeat', reported || 'never'],
    ['last message', instantText(device.lastActivityAt)],
  ];
}

function serverFacts({ crossing, device, gaps, rejections, state }: CrossingTrace): Fact[] {
  const { registeredAt, retiredAt, journalSince, journals } = device;
  const retired = retiredAt ? `, retired ${instantText(retiredAt)}` : '';
  /* If nothing of a journal has arrived, its id may be misspelt. */
  const never = `never: nothing of it has arrived; known are ${journals.join(', ') || 'none'}`;
  const { transaction, store, voidId, projection } = crossing ?? {};
  return [
    ['registered', instantText(registeredAt) + retired],
    ['journal since', journalSince ? instantText(journalSince) : never],
    ['stored', crossing && `transaction ${transaction}`],
    ['store', store && `${store.sid} ${store.name}`],
    ['voided', voidId ? `by void ${voidId}; see admin crossings voids` : undefined],
    ...gaps
      .filter((gap) => gap.state !== 'rejected')
      .map((gap): Fact => [gap.state, `since ${instantText(gap.since)}`]),
    ...rejections.map(({ id, receivedAt, reason }): Fact => {
      return ['rejected', `message ${id} of ${instantText(receivedAt)}: ${reason}`];
    }),
    ['in the numbers', projection && projectionText(projection, state)],
  ];
}

function projectionText(
  { pendingSince, entries, exits }: TracedCrossing['projection'],
  state: CrossingTrace['state'],
) {
  if (pendingSince !== null)
    return `perhaps not yet: its quarter hour has changed since ${utcText(pendingSince)} (admin projection status)`;
  const quarter = `a quarter hour with ${entries} in and ${exits} out of this device`;
  return state === 'counted' ? `yes, in ${quarter}` : 'yes';
}

function answerFacts({ crossing, state }: CrossingTrace): Fact[] {
  if (crossing === undefined || state !== 'counted') return [];
  const { store, answer, at, direction } = crossing;
  const day = `the business day ${answer.day.date}`;
  const unknown = `not known: other crossings of ${day} were removed because of their age`;
  return [
    ['DateTime', zonedFormatter(store.timeZone)(at)],
    ['In', String(direction === 1)],
    ['Amount', answer.occupancy === null ? unknown : `${answer.occupancy}, on ${day}`],
  ];
}
