import { corrections, undoCorrection } from '../../data/calls.ts';
import type { Occupancy } from '../../data/shapes.ts';
import { Card } from '../../parts/card.tsx';
import { enteredName, NameField } from '../../parts/fields.tsx';
import { Loading, useLoaded } from '../../parts/loaded.tsx';
import { timeOf } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CorrectionDialog } from './correction-dialog.tsx';
import { EnteredToday } from './entered-today.tsx';

interface CorrectionsCardProps {
  readonly store: Occupancy;
  /** Called after each change. */
  readonly onChanged: () => void;
}

/** ms */
const interval = 60_000;

/** What staff have set today, with buttons to set the number of people inside and to undo it. */
export function CorrectionsCard({ store, onChanged }: CorrectionsCardProps) {
  const { store: sid, day } = store;
  const loaded = useLoaded(() => corrections(sid, day.date), [sid, day.date], interval);
  const { value } = loaded;
  const changed = () => {
    loaded.reload();
    onChanged();
  };
  return (
    <Card title={text.correction.heading} actions={<CorrectionDialog store={store} onDone={changed} />}>
      <Loading of={loaded} />
      {value?.length === 0 && <p class="small">{text.correction.none}</p>}
      <EnteredToday
        entries={value ?? []}
        wordsOf={({ people, by, at }) => text.correction.entry(people, by, timeOf(at))}
        undo={({ id }) => undoCorrection(id, enteredName.value).then(changed)}
      >
        <NameField />
      </EnteredToday>
    </Card>
  );
}
