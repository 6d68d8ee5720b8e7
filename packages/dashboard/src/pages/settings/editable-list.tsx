import type { ComponentChildren } from 'preact';
import { Glyph } from '../../parts/glyph.tsx';
import { weekday } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { weekInOrder } from './spans.ts';

/** What is entered for a day: any number of entries. */
export interface DayField<Entry> {
  /** The day, for screen readers. */
  readonly label?: string;
  readonly entries: readonly Entry[];
  readonly onChange: (entries: readonly Entry[]) => void;
}

interface EditableListProps<Entry> extends DayField<Entry> {
  readonly class: string;
  /** The fields of an entry. */
  readonly fields: (entry: Entry, change: (entry: Entry) => void) => ComponentChildren;
  /** What is removed, for screen readers, where it is not the day. */
  readonly nameOf?: (entry: Entry) => string;
  /** Shown in place of entries. */
  readonly none?: string;
  /** On the button that adds an entry. */
  readonly add: string;
  /** What is added after the last entry. */
  readonly next: (last: Entry | undefined) => Entry;
  readonly most?: number;
}

/** A list to which entries are added, and from which they are removed. */
export function EditableList<Entry>(props: EditableListProps<Entry>) {
  const { class: name, label, entries, onChange, fields, nameOf, none, add, next, most = Infinity } = props;
  return (
    <ul class={name}>
      {entries.length === 0 && none && <li class="none">{none}</li>}
      {entries.map((entry, index) => (
        <li key={index}>
          {fields(entry, (changed) => onChange(entries.with(index, changed)))}
          <button
            type="button"
            class="quiet icon"
            aria-label={[nameOf?.(entry) ?? label, text.remove].filter(Boolean).join(': ')}
            title={text.remove}
            onClick={() => onChange(entries.toSpliced(index, 1))}
          >
            <Glyph name="close" />
          </button>
        </li>
      ))}
      {entries.length < most && (
        <li class="add">
          <button
            type="button"
            class={label && 'quiet'}
            aria-label={label && `${label}: ${add}`}
            onClick={() => onChange([...entries, next(entries.at(-1))])}
          >
            <Glyph name="plus" />
            {add}
          </button>
        </li>
      )}
    </ul>
  );
}

interface WeekFieldProps<Entry> {
  /** By weekday: monday to sunday. */
  readonly week: Readonly<Record<string, readonly Entry[]>>;
  readonly onChange: (week: Record<string, readonly Entry[]>) => void;
  readonly field: (day: DayField<Entry>) => ComponentChildren;
  /** Whether what is entered for the first day can be used for all. */
  readonly canCopy?: boolean;
}

/** What is entered for each weekday. */
export function WeekField<Entry>({ week, onChange, field, canCopy }: WeekFieldProps<Entry>) {
  const days = weekInOrder();
  return (
    <ul class="days">
      {days.map(({ name, n }, index) => {
        const label = weekday(n, 'long');
        const entries = week[name] ?? [];
        return (
          <li key={name}>
            <strong>{label}</strong>
            {field({ label, entries, onChange: (changed) => onChange({ ...week, [name]: changed }) })}
            {canCopy && index === 0 && entries.length > 0 && (
              <button
                type="button"
                class="quiet"
                onClick={() => onChange(Object.fromEntries(days.map((day) => [day.name, entries])))}
              >
                {text.settings.allDays}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
