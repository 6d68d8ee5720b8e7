import type { StoredDiagnosis } from '@visitor-counter/database/devices/read-diagnoses';
import { instantText } from '../terminal/instant-text.ts';
import { plain } from '../terminal/plain.ts';

const marks: Readonly<Record<string, string>> = { ok: '✔', warn: '!', fail: '✘' };

/** A diagnosis for people: the findings, then the log. What is not as units send it is left out. */
export function diagnosisText(serial: string, { commandId, receivedAt, report }: StoredDiagnosis): string {
  const { findings, log, omitted } = fieldsOf(report);
  const lines = listOf(log).filter((line) => typeof line === 'string');
  const left = typeof omitted === 'number' && omitted > 0 ? `, ${omitted} older lines left out` : '';
  return [
    `${serial}: diagnosis ${commandId} of ${instantText(receivedAt)}`,
    ...listOf(findings).map(findingText),
    '',
    `The last ${lines.length} lines of its log${left}:`,
    ...lines.map((line) => onOneLine(line)),
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

function onOneLine(text: string): string {
  return plain(text).replaceAll('\n', ' ');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
