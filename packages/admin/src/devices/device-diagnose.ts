import { readDiagnoses, type StoredDiagnosis } from '@visitor-counter/database/devices/device-states';
import { isMapping } from '@visitor-counter/domain/parsed-json';
import { command } from '../command/command.ts';
import { withDatabase } from '../command/context.ts';
import { findDevice } from '../command/find.ts';
import { serialArgument } from '../command/options.ts';
import { instantText, inUtc, onOneLine } from '../command/text.ts';

export const diagnoseCommand = command({
  name: 'diagnose',
  description: 'Show the last diagnosis of a unit: its findings and the end of its log.',
  argument: serialArgument,
  help: `
\`admin device command SERIAL diagnose\` orders one. The unit runs the checks of its own \`doctor\`, without interrupting its
counting or its connection, and sends the findings with the last lines of its log, at most 63 KiB in all, without secrets. The
last three are stored.`,
  run: async (context, _options, given) => {
    const { serial, found } = await withDatabase(context, async ({ kysely }) => {
      const { id, serial } = await findDevice(kysely, given);
      return { serial, found: (await readDiagnoses(kysely, id))[0] };
    });
    if (found === undefined)
      return { json: { serial, diagnosis: null }, text: `${serial}: no diagnosis has arrived yet` };
    return { json: { serial, diagnosis: inUtc(found) }, text: diagnosisText(serial, found) };
  },
});

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
