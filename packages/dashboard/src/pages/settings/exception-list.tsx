import type { Exception } from '../../data/settings-calls.ts';
import { shortDate } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { AddButton, RemoveButton } from './entries.tsx';
import { SpansField } from './spans-field.tsx';

interface ExceptionListProps {
  readonly today: string;
  readonly exceptions: readonly Exception[];
  readonly onChange: (exceptions: readonly Exception[]) => void;
}

/** Dates with other hours; those that are past are only counted. */
export function ExceptionList({ today, exceptions, onChange }: ExceptionListProps) {
  const isPast = ({ date }: Exception) => date !== '' && date < today;
  const past = exceptions.filter(isPast).length;
  return (
    <div class="stack">
      <h3>{text.settings.exceptions}</h3>
      {past > 0 && <p class="small">{text.settings.past(past)}</p>}
      <ul class="days">
        {exceptions.map((exception, index) =>
          isPast(exception) ? null : (
            <ExceptionRow
              key={index}
              today={today}
              exception={exception}
              onChange={(part) => onChange(exceptions.with(index, { ...exception, ...part }))}
              onRemove={() => onChange(exceptions.toSpliced(index, 1))}
            />
          ),
        )}
      </ul>
      <AddButton
        words={text.settings.addDate}
        onAdd={() => onChange([...exceptions, { date: '', open: [] }])}
      />
    </div>
  );
}

interface ExceptionRowProps {
  readonly today: string;
  readonly exception: Exception;
  readonly onChange: (part: Partial<Exception>) => void;
  readonly onRemove: () => void;
}

function ExceptionRow({
  today,
  exception: { date, open, note = '' },
  onChange,
  onRemove,
}: ExceptionRowProps) {
  return (
    <li class="dated">
      <input
        type="date"
        aria-label={text.settings.date}
        min={today}
        value={date}
        onInput={({ currentTarget }) => onChange({ date: currentTarget.value })}
      />
      <SpansField
        label={date === '' ? text.settings.date : shortDate(date)}
        spans={open}
        onChange={(spans) => onChange({ open: spans })}
      />
      <input
        aria-label={text.words.note}
        placeholder={text.words.note}
        maxLength={100}
        value={note}
        onInput={({ currentTarget }) => onChange({ note: currentTarget.value })}
      />
      <RemoveButton
        label={`${date === '' ? '' : shortDate(date)} ${text.remove}`.trim()}
        onRemove={onRemove}
      />
    </li>
  );
}
