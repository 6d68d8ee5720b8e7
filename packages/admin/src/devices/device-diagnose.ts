import { setTimeout as delay } from 'node:timers/promises';
import type { Author } from '@visitor-counter/database/audit/record-audit';
import { readDiagnoses, type StoredDiagnosis } from '@visitor-counter/database/devices/device-states';
import { readUnitOrders } from '@visitor-counter/database/devices/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import { command, flag } from '../command/command.ts';
import { OperatorError, withChanges } from '../command/context.ts';
import { findDevice } from '../command/find.ts';
import { serialArgument, within } from '../command/options.ts';
import { instantText, inUtc, onOneLine } from '../command/text.ts';
import { orderCommand } from './order.ts';

/** ms */
const lookEvery = 500;
const patience = 120_000;

/** The result of the command. */
interface Diagnosed {
  readonly serial: string;
  /** The id of the command; null if none was ordered. */
  readonly ordered: number | null;
  readonly diagnosis: StoredDiagnosis | null;
}

export const diagnoseCommand = command({
  name: 'diagnose',
  description: 'Order a diagnosis from a unit; show its findings and the end of its log.',
  argument: serialArgument,
  options: { wait: flag('wait for the diagnosis'), last: flag('order nothing', 'wait'), within },
  help: `
The unit runs the checks of its own \`doctor\`, without interrupting its counting or its connection, and sends the
findings with the last lines of its log, at most 63 KiB in all, without secrets. The last three are stored.

  admin device diagnose CU-1           orders a diagnosis, and shows the last one that has arrived
  admin device diagnose CU-1 --wait    orders a diagnosis, and shows it when it arrives, within two minutes
  admin device diagnose CU-1 --last    shows the last one that has arrived, and orders nothing`,
  run: async (context, options, given) => {
    const diagnosed = await withChanges(context, (db, author) => diagnose(db, author, given, options));
    const diagnosis = diagnosed.diagnosis && inUtc(diagnosed.diagnosis, 'receivedAt');
    return { json: { ...diagnosed, diagnosis }, text: diagnosedText(diagnosed) };
  },
});

interface Order {
  readonly wait: true | undefined;
  readonly last: true | undefined;
  /** Epoch ms. */
  readonly within: number;
}

async function diagnose(
  db: Database,
  author: Author,
  given: string,
  { wait, last, within }: Order,
): Promise<Diagnosed> {
  const { kysely } = db;
  const device = await findDevice(db.kysely, given);
  const { id: deviceId, serial } = device;
  const newest = async () => (await readDiagnoses(kysely, deviceId))[0] ?? null;
  if (last) return { serial, ordered: null, diagnosis: await newest() };
  const order = { order: { command: 'diagnose' }, expires: within } as const;
  const [command] = await orderCommand(db, author, [device], order);
  const ordered = command?.id ?? null;
  if (!wait) return { serial, ordered, diagnosis: await newest() };
  const began = Date.now();
  const until = Math.min(began + patience, within);
  for (; Date.now() < until; await delay(lookEvery)) {
    const diagnoses = await readDiagnoses(kysely, deviceId);
    const diagnosis = diagnoses.find(({ commandId }) => commandId === ordered);
    if (diagnosis) return { serial, ordered, diagnosis };
    const { commands } = await readUnitOrders(kysely, deviceId);
    const command = commands.find(({ id }) => id === ordered);
    if (command?.state === 'failed')
      throw new OperatorError(
        `${serial} could not send its diagnosis: ${command.problem ?? 'no reason given'}`,
      );
  }
  const left = until === within ? 'has expired' : 'remains ordered';
  const waited = Math.round((until - began) / 1_000);
  const message = `no diagnosis within ${waited} s: command ${ordered} ${left}; \`admin device orders ${serial}\` shows its state`;
  throw new OperatorError(message);
}

function diagnosedText({ serial, ordered, diagnosis }: Diagnosed): string {
  const isAnswer = diagnosis !== null && diagnosis.commandId === ordered;
  const order = ordered === null || isAnswer ? [] : [`diagnose ordered from ${serial}: command ${ordered}`];
  const shown =
    diagnosis === null ? `${serial}: no diagnosis has arrived yet` : diagnosisText(serial, diagnosis);
  return [...order, shown].join('\n');
}

const marks: Readonly<Record<string, string>> = { ok: '✔', warn: '!', fail: '✘' };

/** A diagnosis for people: the findings, then the log. Malformed parts are left out. */
function diagnosisText(serial: string, { commandId, receivedAt, report }: StoredDiagnosis): string {
  const { findings, log, omitted } = fieldsOf(report);
  const lines = listOf(log).filter((line) => typeof line === 'string');
  const left = typeof omitted === 'number' && omitted > 0 ? `, ${omitted} older lines left out` : '';
  return [
    `${serial}: diagnosis ${commandId} of ${instantText(receivedAt)}`,
    ...listOf(findings).map(findingText),
    '',
    `The last ${lines.length} lines of its log${left}:`,
    ...lines.map(onOneLine),
  ].join('\n');
}

function findingText(finding: unknown): string {
  const { what, verdict, detail, advice } = fieldsOf(finding);
  const line = `${marks[String(verdict)] ?? '?'} ${textOf(what).padEnd(14)}${textOf(detail)}`;
  return advice === undefined ? line : `${line}\n  ${''.padEnd(14)}${textOf(advice)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? onOneLine(value) : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
