import { type Bar, quartersOf } from '../../charts/bars.ts';
import type { Quarter } from '../../data/shapes.ts';
import { Change, incompleteWords } from '../../parts/change.tsx';
import { gapOf } from '../../status/verdict.ts';
import { timeOf } from '../../text/dates.ts';
import { number, percent } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

interface BarDetailsProps {
  readonly bar: Bar;
  readonly quarters: readonly Quarter[];
}

/** The values of a bar, next to it. */
export function BarDetails({ bar, quarters }: BarDetailsProps) {
  const { title, visitors, comparable, before, ghost, out, staff, conversion } = bar;
  const shown = before ?? ghost;
  const note = noteOf(bar);
  const own = quartersOf(bar, quarters);
  const end = own.at(-1);
  return (
    <>
      <strong>{title}</strong>
      <dl>
        {visitors !== null && <Value name={text.words.count} value={number(visitors)} kind="bar" />}
        {shown !== null && <Value name={text.words.before} value={number(shown)} kind="ghost" />}
        {visitors !== null && <Value name={text.doors.out} value={number(out)} />}
        {staff > 0 && <Value name={text.staff} value={number(staff)} />}
        {conversion !== null && <Value name={text.words.conversion} value={percent(conversion)} />}
        {end && <Value name={text.peopleInside} value={number(end.occupancy)} kind="line" />}
      </dl>
      {visitors !== null && <Change now={comparable} before={before} gap={gapOf(bar.reasons)} />}
      {note && <p class="note">{note}</p>}
      {own
        .flatMap(({ corrections }) => corrections)
        .map((mark) => (
          <p key={mark.at}>{text.store.corrected(mark, timeOf(mark.at))}</p>
        ))}
      {end && <span class="hidden">{text.chart.insideAt(end.occupancy, timeOf(end.to))}</span>}
    </>
  );
}

function Value({
  name,
  value,
  kind,
}: {
  readonly name: string;
  readonly value: string;
  readonly kind?: string;
}) {
  return (
    <div>
      <dt>
        <span class={`key ${kind ?? ''}`} />
        {name}
      </dt>
      <dd class="figure">{value}</dd>
    </div>
  );
}

/** Notes about the number of a bar. */
export function noteOf({ open, isRunning, reasons }: Bar): string {
  return [
    ...(open ? [] : [text.opening.closed]),
    ...(isRunning ? [text.words.reasons.running] : []),
    ...reasons.map(incompleteWords),
  ].join('. ');
}
