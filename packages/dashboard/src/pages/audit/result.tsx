import { type Accuracy, type Audit, Way } from '../../data/shapes.ts';
import { Name, Notice } from '../../parts/card.tsx';
import { errorText } from '../../parts/change.tsx';
import { checkOf, fewest } from '../../status/verdict.ts';
import { dayAndTimeOf } from '../../text/dates.ts';
import { text } from '../../text/text.ts';

/** An audit that was just entered: its result in plain words, or why there is none yet. */
export function Result({ audit }: { readonly audit: Audit }) {
  if (typeof audit.result === 'string') {
    return (
      <Notice tone="plain" role="status">
        <p>{audit.result === 'pending' ? text.audit.pending : text.audit.removed}</p>
      </Notice>
    );
  }
  const check = checkOf(audit);
  const tone = { accurate: 'good', inaccurate: 'warn', unknown: 'plain' } as const;
  return (
    <Notice tone={tone[check]} role="status">
      <ResultLines audit={audit} />
      {check !== 'unknown' && <p>{text.audit.meaning}</p>}
    </Notice>
  );
}

/** The audits of a door, the latest first. */
export function EarlierAudits({ audits }: { readonly audits: readonly Audit[] }) {
  if (audits.length === 0) return <p class="small">{text.audit.unchecked}</p>;
  return (
    <ul class="stack">
      {audits.map((audit) => (
        <li key={audit.id}>
          <div class="row">
            <strong>{dayAndTimeOf(audit.to)}</strong> <Name>{audit.by}</Name>
          </div>
          {audit.note && <small>{audit.note}</small>}
          <ResultLines audit={audit} />
        </li>
      ))}
    </ul>
  );
}

/** A line for each direction; with too few people it has no error. */
function ResultLines({ audit }: { readonly audit: Audit }) {
  const { result, seen } = audit;
  const people = seen.in + seen.out;
  if (typeof result === 'string') {
    return <p>{result === 'pending' ? text.audit.waiting(people) : text.audit.removed}</p>;
  }
  const isJudged = checkOf(audit) !== 'unknown';
  return (
    <>
      {Way.options.map((way) => (
        <p key={way}>{lineOf(way, result[way], isJudged)}</p>
      ))}
      {!isJudged && <p>{text.audit.tooFew(people, fewest)}</p>}
    </>
  );
}

function lineOf(way: Way, { observed, counted, error, interval }: Accuracy, isJudged: boolean): string {
  if (error === null || interval === null) return text.audit.nobodySeen(way);
  const counts = text.audit.counts(way, observed, counted);
  return isJudged ? `${counts}: ${errorText(error, interval)}` : counts;
}
