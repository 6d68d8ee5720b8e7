import { useSignal } from '@preact/signals';
import { correct, highestOccupancy, isRefused, newId } from '../../data/calls.ts';
import { serverNow } from '../../data/clock.ts';
import type { Occupancy } from '../../data/shapes.ts';
import { Notice } from '../../parts/card.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { enteredName, Field, NameField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { instantIn } from '../../status/store-state.tsx';
import { plusDays, timeOf } from '../../text/dates.ts';
import { text } from '../../text/text.ts';

interface CorrectionDialogProps {
  readonly store: Occupancy;
  readonly onDone: () => void;
}

/** What was entered, until the server has stored it. */
interface Draft {
  readonly people: string;
  readonly note: string;
  /** Whether the user was asked if the number, which is unusual, is right. */
  readonly isDoubted: boolean;
  /** How it was sent first: sent again unchanged, it is the same entry of the same instant. */
  readonly sent: { readonly id: string; readonly at: string; readonly by: string } | undefined;
  /** Why it was not stored. */
  readonly problem: string | undefined;
}

const empty: Draft = { people: '', note: '', isDoubted: false, sent: undefined, problem: undefined };

/** The range in which the highest number is searched for (days). */
const weeks = 28;

/** A button that opens a dialog in which staff set the number of people inside. */
export function CorrectionDialog({ store, onDone }: CorrectionDialogProps) {
  /* Remains while the dialog is closed, so that nothing must be entered again. */
  const draft = useSignal(empty);
  const change = (part: Partial<Draft>) => {
    draft.value = { ...draft.value, ...part };
  };
  return (
    <DialogButton
      label={text.correction.open}
      title={text.correction.heading}
      content={(close) => (
        <CorrectionForm
          {...{ store, draft: draft.value, onChange: change, onClose: close }}
          onDone={() => {
            draft.value = empty;
            close();
            onDone();
          }}
        />
      )}
    />
  );
}

interface CorrectionFormProps extends CorrectionDialogProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onClose: () => void;
}

function CorrectionForm(props: CorrectionFormProps) {
  const { store, draft, onChange, onDone, onClose } = props;
  const { store: sid, capacity, day } = store;
  /* Without it, the number is compared with the capacity alone. */
  const { value: highest = 0 } = useLoaded(
    () => highestOccupancy(sid, plusDays(day.date, -weeks), day.date),
    [],
  );
  const people = draft.people === '' ? undefined : Number(draft.people);
  const doubt = people === undefined ? undefined : whyImplausible(people, { capacity, highest });
  /* Another number or note is another entry. */
  const edit = (change: Partial<Draft>) =>
    onChange({ isDoubted: false, sent: undefined, problem: undefined, ...change });
  const submit = async () => {
    if (people === undefined) return;
    if (doubt !== undefined && !draft.isDoubted) {
      onChange({ isDoubted: true });
      return;
    }
    const by = enteredName.value.trim();
    const sent =
      draft.sent?.by === by ? draft.sent : { id: newId(), at: new Date(serverNow()).toISOString(), by };
    onChange({ sent, problem: undefined });
    try {
      await correct({ store: sid, people, note: draft.note.trim(), ...sent });
      onDone();
    } catch (error) {
      const time = timeOf(instantIn(store, Date.parse(sent.at)));
      onChange({ problem: isRefused(error) ? text.refused : text.correction.unansweredSince(time) });
    }
  };
  /* It is about the number that was sent. */
  const problem = draft.sent && draft.problem;
  return (
    <Form
      onSubmit={submit}
      onCancel={onClose}
      submit={problem ? text.again : text.correction.button}
      problem={problem}
    >
      <p class="small">{text.correction.explain}</p>
      <Field
        label={text.peopleInside}
        name="people"
        type="number"
        inputMode="numeric"
        {...{ min: 0, max: 1_000_000, step: 1, required: true, value: draft.people }}
        onInput={({ currentTarget }) => edit({ people: currentTarget.value })}
      />
      <NameField />
      <Field
        label={text.optionalNote}
        name="note"
        maxLength={200}
        value={draft.note}
        onInput={({ currentTarget }) => edit({ note: currentTarget.value })}
      />
      <p role="status">{people !== undefined && text.correction.change(store.occupancy, people)}</p>
      {draft.isDoubted && people !== undefined && doubt !== undefined && (
        <Notice tone="warn" role="alert">
          {doubt === 'above-capacity'
            ? text.correction.aboveCapacity(people, capacity ?? 0)
            : text.correction.aboveHighest(people, highest)}
          {/* Two presses of the button are not an answer. */}
          <label class="check">
            <input type="checkbox" required />
            {text.correction.certain}
          </label>
        </Notice>
      )}
    </Form>
  );
}

/** What is known about the people in a store. */
interface StoreNumbers {
  readonly capacity: number | null;
  /** The most people who were inside at once in the last weeks; 0 if that is not known. */
  readonly highest: number;
}

/** In a small store, some more people than ever before are not a typing error. */
const someMore = 20;

/** Why a number of people inside may be a typing error, such as 2,500 for 250; undefined if it need not be one. */
export function whyImplausible(
  people: number,
  { capacity, highest }: StoreNumbers,
): 'above-capacity' | 'above-highest' | undefined {
  if (capacity !== null && people > 2 * capacity) return 'above-capacity';
  return highest > 0 && people > 1.5 * highest + someMore ? 'above-highest' : undefined;
}
