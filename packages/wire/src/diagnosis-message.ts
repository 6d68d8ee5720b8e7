import { lastInstant } from '@visitor-counter/domain/time';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Decoded, jsonCodec } from './json-payload.ts';
import { maxDiagnosisBytes, maxOrderId } from './limits.ts';

/** The most characters of one text of a finding and of one line of the log, and the most findings and lines. */
const diagnosisLimits = { text: 1_000, line: 4_000, findings: 64, lines: 1_000 } as const;

const Text = Type.String({ maxLength: diagnosisLimits.text });

const Finding = Type.Object({
  what: Text,
  /** `warn` does not prevent the unit from counting and delivering. */
  verdict: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('fail')]),
  detail: Text,
  /** What to do about it, if the verdict is not `ok`. */
  advice: Type.Optional(Text),
});

export type Finding = Static<typeof Finding>;

/**
 * The payload of `counter/v1/<serial>/diagnosis`, the result of the command `diagnose` with this id: the unit's findings
 * about itself and the last lines of its log, oldest first, without secrets. `omitted` is the number of older lines that
 * the unit remembers and that do not fit the message.
 */
const DiagnosisMessage = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: maxOrderId }),
  at: Type.Integer({ minimum: 0, maximum: lastInstant }),
  findings: Type.Array(Finding, { maxItems: diagnosisLimits.findings }),
  log: Type.Array(Type.String({ maxLength: diagnosisLimits.line }), { maxItems: diagnosisLimits.lines }),
  omitted: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});

export type Diagnosis = Static<typeof DiagnosisMessage>;

const codec = jsonCodec(Compile(DiagnosisMessage));

/**
 * The message in at most `maxDiagnosisBytes`: texts that are too long are cut, and if the message is still too large, the
 * oldest lines are omitted and counted.
 */
export function encodeDiagnosis({ id, at, findings, log, omitted }: Diagnosis): string {
  const { text, line, findings: mostFindings, lines: mostLines } = diagnosisLimits;
  const cut = findings.slice(0, mostFindings).map(({ what, verdict, detail, advice }) => ({
    what: what.slice(0, text),
    verdict,
    detail: detail.slice(0, text),
    ...(advice !== undefined && { advice: advice.slice(0, text) }),
  }));
  const fitting = itemsWithin(cut, maxDiagnosisBytes / 2);
  const head = { id, at, findings: fitting, log: [], omitted: Number.MAX_SAFE_INTEGER };
  const room = maxDiagnosisBytes - bytesOf(head);
  const recent = log.slice(-mostLines).map((one) => one.slice(0, line));
  const lines = itemsWithin(recent.toReversed(), room).toReversed();
  return codec.encode({ ...head, log: lines, omitted: omitted + log.length - lines.length });
}

/** The first of `items` that fit `bytes` as JSON, with their commas. */
function itemsWithin<Item>(items: readonly Item[], bytes: number): Item[] {
  let used = 0;
  const end = items.findIndex((item) => {
    used += bytesOf(item) + 1;
    return used > bytes;
  });
  return items.slice(0, end < 0 ? items.length : end);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export function decodeDiagnosis(payload: Uint8Array): Decoded<Diagnosis> {
  if (payload.length > maxDiagnosisBytes) return { malformed: `larger than ${maxDiagnosisBytes} bytes` };
  return codec.decode(payload);
}
