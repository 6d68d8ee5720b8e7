import type { ComponentChildren } from 'preact';
import { Glyph } from '../../parts/glyph.tsx';
import { text } from '../../text/text.ts';

interface RemoveButtonProps {
  /** What is removed, for screen readers. */
  readonly label: string;
  readonly onRemove: () => void;
}

/** Removes an entry from a list. */
export function RemoveButton({ label, onRemove }: RemoveButtonProps) {
  return (
    <button type="button" class="quiet icon" aria-label={label} title={text.remove} onClick={onRemove}>
      <Glyph name="close" />
    </button>
  );
}

interface AddButtonProps {
  readonly words: string;
  readonly onAdd: () => void;
}

/** Adds an entry to the list above. */
export function AddButton({ words, onAdd }: AddButtonProps) {
  return (
    <div class="row">
      <button type="button" onClick={onAdd}>
        <Glyph name="plus" />
        {words}
      </button>
    </div>
  );
}

interface DayEntriesProps<Entry> {
  /** The day, for screen readers. */
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly onChange: (entries: readonly Entry[]) => void;
  readonly words: { readonly none: string; readonly add: string };
  /** The fields of an entry. */
  readonly fields: (entry: Entry, change: (entry: Entry) => void) => ComponentChildren;
  /** What is added after the last entry. */
  readonly next: (last: Entry | undefined) => Entry;
  readonly most?: number;
}

/** What is entered for a day: any number of entries, next to each other. */
export function DayEntries<Entry>(props: DayEntriesProps<Entry>) {
  const { label, entries, onChange, words, fields, next, most = Number.POSITIVE_INFINITY } = props;
  return (
    <div class="spans">
      {entries.length === 0 && <span class="no-spans">{words.none}</span>}
      {entries.map((entry, index) => (
        <div class="span" key={index}>
          {fields(entry, (changed) => onChange(entries.with(index, changed)))}
          <RemoveButton
            label={`${label}: ${text.remove}`}
            onRemove={() => onChange(entries.toSpliced(index, 1))}
          />
        </div>
      ))}
      {entries.length < most && (
        <button
          type="button"
          class="quiet"
          aria-label={`${label}: ${words.add}`}
          onClick={() => onChange([...entries, next(entries.at(-1))])}
        >
          <Glyph name="plus" />
          {words.add}
        </button>
      )}
    </div>
  );
}
