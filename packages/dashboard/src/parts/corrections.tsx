import { useSignal } from '@preact/signals';
import { correct, corrections, undoCorrection } from '../data/calls.ts';
import type { Correction } from '../data/shapes.ts';
import { timeOf } from '../text/dates.ts';
import { text } from '../text/text.ts';
import { Card } from './card.tsx';
import { useLoaded } from './loaded.tsx';

interface CorrectionsProps {
  readonly sid: string;
  /** The business day. */
  readonly date: string;
  /** Called after each change. */
  readonly onChanged: () => void;
}

/** ms */
const interval = 60_000;

/** Lets staff set the occupancy, shows the corrections of today, and undoes them. */
export function Corrections({ sid, date, onChanged }: CorrectionsProps) {
  const entries = useLoaded(() => corrections(sid, date), [sid, date], interval);
  const message = useSignal('');
  const by = useSignal('');
  const attempt = async (work: () => Promise<string>) => {
    message.value = await work().catch((error: unknown) =>
      error instanceof Error ? error.message : text.failed,
    );
    entries.reload();
    onChanged();
  };
  const set = (people: number, note: string) =>
    attempt(async () => {
      const { people: done } = await correct({ store: sid, people, by: by.value, note });
      return text.correction.done(done);
    });
  const undo = (id: number) => {
    if (by.value.trim() === '') {
      message.value = text.correction.needsName;
      return;
    }
    void attempt(async () => {
      await undoCorrection(id, by.value);
      return '';
    });
  };
  return (
    <Card title={text.correction.heading}>
      <p class="small">{text.correction.explain}</p>
      <CorrectionForm by={by} onSet={set} />
      <p role="status">{message.value}</p>
      {entries.value && <Entries entries={entries.value} onUndo={undo} />}
    </Card>
  );
}

interface FormProps {
  readonly by: { value: string };
  readonly onSet: (people: number, note: string) => Promise<void>;
}

function CorrectionForm({ by, onSet }: FormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const given = new FormData(form);
    void onSet(Number(given.get('people')), String(given.get('note') ?? '')).then(() => {
      for (const name of ['people', 'note']) {
        const field = form.elements.namedItem(name);
        if (field instanceof HTMLInputElement) field.value = '';
      }
    });
  };
  return (
    <form class="correction" onSubmit={submit}>
      <label>
        {text.correction.people}
        <input name="people" type="number" min={0} max={1_000_000} step={1} inputMode="numeric" required />
      </label>
      <label>
        {text.correction.by}
        <input
          name="by"
          autocomplete="name"
          maxLength={200}
          required
          value={by.value}
          onInput={({ currentTarget }) => {
            by.value = currentTarget.value;
          }}
        />
      </label>
      <label>
        {text.correction.note}
        <input name="note" maxLength={200} />
      </label>
      <button type="submit">{text.correction.button}</button>
    </form>
  );
}

interface EntriesProps {
  readonly entries: readonly Correction[];
  readonly onUndo: (id: number) => void;
}

function Entries({ entries, onUndo }: EntriesProps) {
  if (entries.length === 0) return <p class="small">{text.correction.none}</p>;
  return (
    <>
      <h3>{text.correction.list}</h3>
      <ul class="entries">
        {entries.map(({ id, people, by, at, note, undone }) => (
          <li key={id}>
            <span class={undone ? 'undone' : ''}>{text.correction.entry(people, by, timeOf(at))}</span>
            {note && <span class="small"> {note}</span>}{' '}
            {undone ? (
              <span class="small">{text.correction.undoneBy(undone.by)}</span>
            ) : (
              <button type="button" class="quiet" onClick={() => onUndo(id)}>
                {text.correction.undo}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
