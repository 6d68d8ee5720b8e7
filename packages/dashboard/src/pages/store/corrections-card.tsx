import type { ComponentChildren } from 'preact';
import { corrections, undoCorrection } from '../../data/calls.ts';
import type { LiveState } from '../../data/live.ts';
import type { Correction, Occupancy } from '../../data/shapes.ts';
import { Card } from '../../parts/card.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { enteredName, NameField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
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
        <>
          <h3>{text.enteredToday}</h3>
          <ul class="list">
            {value.map((entry) => (
              <Entry
                key={entry.id}
                words={wordsOf(entry)}
                note={entry.note}
                undone={entry.undone}
                undo={
                  <DialogButton
                    label={text.correction.undo}
                    name={`${text.correction.undo}: ${wordsOf(entry)}`}
                    class="quiet"
                    title={text.correction.undo}
                    content={(close) => <UndoForm entry={entry} onDone={changed} onClose={close} />}
                  />
                }
              />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function wordsOf({ people, by, at }: Correction): string {
  return text.correction.entry(people, by, timeOf(at));
}

interface EntryProps {
  readonly words: string;
  readonly note?: string;
  readonly undone: Correction['undone'];
  /** A button that undoes it. */
  readonly undo: ComponentChildren;
}

/** What staff have entered: it remains in the list after somebody has undone it. */
export function Entry({ words, note, undone, undo }: EntryProps) {
  return (
    /* It gets the focus when its button is removed: see `keepFocus`. */
    <li tabIndex={-1}>
      <span class={undone ? 'undone' : ''}>{words}</span>
      {note && <span class="small"> {note}</span>}{' '}
      {undone ? <span class="small">{text.correction.undoneBy(undone.by)}</span> : undo}
    </li>
  );
}

interface UndoFormProps {
  readonly entry: Correction;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks who undoes an entry. */
function UndoForm({ entry, onDone, onClose }: UndoFormProps) {
  const undo = async () => {
    await undoCorrection(entry.id, enteredName.value);
    onDone();
    onClose();
  };
  return (
    <Form onSubmit={undo} onCancel={onClose} submit={text.correction.undo}>
      <p>{wordsOf(entry)}</p>
      <NameField />
    </Form>
  );
}
