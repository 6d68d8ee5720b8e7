import type { ComponentChildren } from 'preact';
import { corrections, undoCorrection } from '../../data/calls.ts';
import type { LiveState } from '../../data/live.ts';
import type { Correction, Occupancy, StaffPassage } from '../../data/shapes.ts';
import { Card } from '../../parts/card.tsx';
import { DialogButton, DialogForm } from '../../parts/dialog.tsx';
import { enteredName, NameField } from '../../parts/fields.tsx';
import { useSending } from '../../parts/form.tsx';
import { Loading, useLoaded } from '../../parts/loaded.tsx';
import { timeOf } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CorrectionDialog } from './correction-dialog.tsx';

interface CorrectionsCardProps {
  readonly live: LiveState;
  readonly store: Occupancy;
  /** Called after each change. */
  readonly onChanged: () => void;
}

/** ms */
const interval = 60_000;

/** What staff have set today, with buttons to set the number of people inside and to undo it. */
export function CorrectionsCard({ live, store, onChanged }: CorrectionsCardProps) {
  const { store: sid, day } = store;
  const loaded = useLoaded(() => corrections(sid, day.date), [sid, day.date], interval);
  const { value } = loaded;
  const changed = () => {
    loaded.reload();
    onChanged();
  };
  return (
    <Card
      title={text.correction.heading}
      actions={<CorrectionDialog live={live} store={store} onDone={changed} />}
    >
      <Loading of={loaded} />
      {value?.length === 0 && <p class="small">{text.correction.none}</p>}
      {value !== undefined && value.length > 0 && (
        <EnteredToday
          entries={value}
          wordsOf={wordsOf}
          undo={(entry, name) => (
            <DialogButton
              {...{ label: text.correction.undo, name, class: 'quiet', title: text.correction.undo }}
              content={(close) => <UndoForm entry={entry} onDone={changed} onClose={close} />}
            />
          )}
        />
      )}
    </Card>
  );
}

function wordsOf({ people, by, at }: Correction): string {
  return text.correction.entry(people, by, timeOf(at));
}

interface EnteredTodayProps<Entry> {
  readonly entries: readonly Entry[];
  readonly wordsOf: (entry: Entry) => string;
  /** A button that undoes an entry; `name` is for screen readers. */
  readonly undo: (entry: Entry, name: string) => ComponentChildren;
}

/** What staff have entered: it remains in the list after somebody has undone it. */
export function EnteredToday<Entry extends StaffPassage & { readonly note?: string }>(
  props: EnteredTodayProps<Entry>,
) {
  const { entries, wordsOf, undo } = props;
  return (
    <>
      <h3>{text.enteredToday}</h3>
      <ul class="list">
        {entries.map((entry) => (
          /* It gets the focus when its button is removed: see `keepFocus`. */
          <li key={entry.id} tabIndex={-1}>
            <span class={entry.undone ? 'undone' : ''}>{wordsOf(entry)}</span>
            {entry.note && <span class="small"> {entry.note}</span>}{' '}
            {entry.undone ? (
              <span class="small">{text.correction.undoneBy(entry.undone.by)}</span>
            ) : (
              undo(entry, `${text.correction.undo}: ${wordsOf(entry)}`)
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface UndoFormProps {
  readonly entry: Correction;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks who undoes an entry. */
function UndoForm({ entry, onDone, onClose }: UndoFormProps) {
  const { problem, send } = useSending();
  const undo = () =>
    send(async () => {
      await undoCorrection(entry.id, enteredName.value);
      onDone();
      onClose();
    });
  return (
    <DialogForm onSubmit={undo} onCancel={onClose} submit={text.correction.undo} problem={problem}>
      <p>{wordsOf(entry)}</p>
      <NameField />
    </DialogForm>
  );
}
