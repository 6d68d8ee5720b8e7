import { useSignal } from '@preact/signals';
import { corrections, undoCorrection } from '../../data/calls.ts';
import type { LiveState } from '../../data/live.ts';
import type { Correction, Occupancy } from '../../data/shapes.ts';
import { Card } from '../../parts/card.tsx';
import { Dialog, DialogForm } from '../../parts/dialog.tsx';
import { enteredName, NameField } from '../../parts/fields.tsx';
import { useSending } from '../../parts/form.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
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
  const entries = useLoaded(() => corrections(sid, day.date), [sid, day.date], interval);
  const undoing = useSignal<Correction | undefined>(undefined);
  const changed = () => {
    entries.reload();
    onChanged();
  };
  const { value } = entries;
  return (
    <Card
      title={text.correction.heading}
      actions={<CorrectionDialog live={live} store={store} onDone={changed} />}
    >
      {value?.length === 0 && <p class="small">{text.correction.none}</p>}
      {value !== undefined && value.length > 0 && (
        <>
          <h3>{text.correction.list}</h3>
          <ul class="list">
            {value.map((entry) => (
              <Entry
                key={entry.id}
                words={text.correction.entry(entry.people, entry.by, timeOf(entry.at))}
                note={entry.note}
                undone={entry.undone}
                onUndo={() => {
                  undoing.value = entry;
                }}
              />
            ))}
          </ul>
        </>
      )}
      <UndoDialog
        entry={undoing.value}
        onDone={changed}
        onClose={() => {
          undoing.value = undefined;
        }}
      />
    </Card>
  );
}

interface EntryProps {
  readonly words: string;
  readonly note?: string;
  readonly undone: Correction['undone'];
  readonly onUndo: () => void;
}

/** What staff have entered: it remains in the list after somebody has undone it. */
export function Entry({ words, note, undone, onUndo }: EntryProps) {
  return (
    <li>
      <span class={undone ? 'undone' : ''}>{words}</span>
      {note && <span class="small"> {note}</span>}{' '}
      {undone ? (
        <span class="small">{text.correction.undoneBy(undone.by)}</span>
      ) : (
        <button type="button" class="quiet" onClick={onUndo}>
          {text.correction.undo}
        </button>
      )}
    </li>
  );
}

interface UndoDialogProps {
  readonly entry: Correction | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks who undoes an entry; both remain in the list. */
function UndoDialog({ entry, onDone, onClose }: UndoDialogProps) {
  const { problem, send } = useSending(() => text.correction.unanswered);
  const undo = ({ id }: Correction) =>
    send(async () => {
      await undoCorrection(id, enteredName.value);
      onDone();
      onClose();
    });
  return (
    <Dialog isOpen={entry !== undefined} title={text.correction.undoHeading} onClose={onClose}>
      {entry && (
        <DialogForm onSubmit={() => undo(entry)} onCancel={onClose} submit={text.correction.undo}>
          <p>{text.correction.entry(entry.people, entry.by, timeOf(entry.at))}</p>
          <NameField />
          {problem && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
        </DialogForm>
      )}
    </Dialog>
  );
}
