import { setTimeout as delay } from 'node:timers/promises';
import type { Author } from '@visitor-counter/database/audit/record-audit';
import { readDiagnoses, type StoredDiagnosis } from '@visitor-counter/database/devices/device-states';
import { readUnitOrders } from '@visitor-counter/database/devices/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import { isMapping } from '@visitor-counter/domain/read-value';
import { command, flag } from '../command/command.ts';
import { OperatorError, withChanges, withDatabase } from '../command/context.ts';
import { type ChosenDevice, findDevice } from '../command/find.ts';
import { serialArgument } from '../command/options.ts';
import { instantText, inUtc, onOneLine } from '../command/text.ts';
import { orderCommand } from './order.ts';

/** How long to wait for a diagnosis (ms). The order remains for a day. */
const patience = 120_000;
const lifetime = 24 * 60 * 60_000;

export const diagnoseCommand = command({
  name: 'diagnose',
  description: 'Show the last diagnosis of a unit, or order one: its findings and the end of its log.',
  argument: serialArgument,
  options: { wait: flag('order a diagnosis, and wait for it, at most two minutes') },
  help: `
The unit runs the checks of its own \`doctor\`, without interrupting its counting or its connection, and sends the
findings with the last lines of its log, at most 63 KiB in all, without secrets. The last three are stored.
\`admin device command\` orders diagnoses without waiting, also from several units.`,
  run: async (context, { wait = false }, given) => {
    const { serial, found } = wait
      ? await withChanges(context, async (db, author) => {
          const device = await findDevice(db.kysely, given);
          return { serial: device.serial, found: await orderDiagnosis(db, author, device) };
        })
      : await withDatabase(context, async ({ kysely }) => {
          const { id, serial } = await findDevice(kysely, given);
          return { serial, found: (await readDiagnoses(kysely, id))[0] };
        });
    if (found === undefined)
      return {
        json: { serial, ordered: null, diagnosis: null },
        text: `${serial}: no diagnosis has arrived yet`,
      };
    const json = { serial, ordered: wait ? found.commandId : null, diagnosis: inUtc(found, 'receivedAt') };
    return { json, text: diagnosisText(serial, found) };
  },
});

async function orderDiagnosis(db: Database, author: Author, device: ChosenDevice): Promise<StoredDiagnosis> {
  const { id, serial } = device;
  const order = { order: { command: 'diagnose' }, expires: Date.now() + lifetime } as const;
  const [ordered] = await orderCommand(db, author, [device], order);
  for (const end = Date.now() + patience; Date.now() < end; await delay(500)) {
    const diagnoses = await readDiagnoses(db.kysely, id);
    const diagnosis = diagnoses.find(({ commandId }) => commandId === ordered?.id);
    if (diagnosis) return diagnosis;
    const { commands } = await readUnitOrders(db.kysely, id);
    const failed = commands.find((one) => one.id === ordered?.id && one.state === 'failed');
    if (failed)
      throw new OperatorError(
        `${serial} could not send its diagnosis: ${failed.problem ?? 'no reason given'}`,
      );
  }
  throw new OperatorError(
    `no diagnosis of ${serial} in ${patience / 1_000} s: command ${ordered?.id} remains ordered, see \`admin device orders\``,
  );
}

const marks: Readonly<Record<string, string>> = { ok: '✔', warn: '!', fail: '✘' };

/** A diagnosis for people: the findings, then the log. Malformed parts are left out. */
function diagnosisText(serial: string, { commandId, receivedAt, report }: StoredDiagnosis): string {
  const { findings, log, omitted } = isMapping(report) ? report : {};
  const lines = Array.isArray(log) ? log.filter((line) => typeof line === 'string') : [];
  const left = typeof omitted === 'number' && omitted > 0 ? `, ${omitted} older lines left out` : '';
  return [
    `${serial}: diagnosis ${commandId} of ${instantText(receivedAt)}`,
    ...(Array.isArray(findings) ? findings.filter(isMapping).map(findingText) : []),
    '',
    `The last ${lines.length} lines of its log${left}:`,
    ...lines.map(onOneLine),
  ].join('\n');
}

function findingText({ what, verdict, detail, advice }: Readonly<Record<string, unknown>>): string {
  const text = (value: unknown) => (typeof value === 'string' ? onOneLine(value) : '');
  const line = `${marks[String(verdict)] ?? '?'} ${text(what).padEnd(14)}${text(detail)}`;
  return advice === undefined ? line : `${line}\n${' '.repeat(16)}${text(advice)}`;
}
