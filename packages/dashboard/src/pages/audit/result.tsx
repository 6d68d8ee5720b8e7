import { type Accuracy, type Audit, Way } from '../../data/shapes.ts';
import { Name, Notice } from '../../parts/card.tsx';
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
  return (
    <Notice tone="good" role="status">
      <DirectionLine way="in" accuracy={audit.result.in} />
      <DirectionLine way="out" accuracy={audit.result.out} />
      <p>{text.audit.meaning}</p>
    </Notice>
  );
}

/** The audits of a door, the latest first. */
export function EarlierAudits({ audits }: { readonly audits: readonly Audit[] }) {
  if (audits.length === 0) return <p class="small">{text.audit.never}</p>;
  return (
    <ul class="stack">
      {audits.map(({ id, to, by, note, result, seen }) => (
        <li key={id}>
          <div class="row">
            <strong>{dayAndTimeOf(to)}</strong> <Name>{by}</Name>
          </div>
          {note && <small>{note}</small>}
          {typeof result === 'string' ? (
            <p>{result === 'pending' ? text.audit.waiting(seen.in + seen.out) : text.audit.removed}</p>
          ) : (
            Way.options.map((way) => <DirectionLine key={way} way={way} accuracy={result[way]} />)
          )}
        </li>
      ))}
    </ul>
  );
}

function DirectionLine({ way, accuracy }: { readonly way: Way; readonly accuracy: Accuracy }) {
  const { observed, counted, error, interval } = accuracy;
  if (error === null || interval === null) return <p>{text.audit.nobodySeen(way)}</p>;
  return <p>{text.audit.result(way, observed, counted, error, interval)}</p>;
}
