import type { ComponentChildren } from 'preact';
import type { Correction } from '../../data/shapes.ts';
import { DialogButton } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { text } from '../../text/text.ts';

type Entry = Pick<Correction, 'id' | 'undone'> & Partial<Pick<Correction, 'note'>>;

interface EnteredTodayProps<One> {
  readonly entries: readonly One[];
  readonly wordsOf: (entry: One) => string;
  readonly undo: (entry: One) => Promise<unknown>;
  /** Fields that undoing needs. */
  readonly children?: ComponentChildren;
}

/** What staff have entered: it remains in the list after somebody has undone it. */
export function EnteredToday<One extends Entry>(props: EnteredTodayProps<One>) {
  const { entries, wordsOf, undo, children } = props;
  if (entries.length === 0) return null;
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
              <DialogButton
                label={text.correction.undo}
                name={`${text.correction.undo}: ${wordsOf(entry)}`}
                class="quiet"
                title={text.correction.undo}
                content={(close) => (
                  <Form
                    onSubmit={() => undo(entry).then(close)}
                    onCancel={close}
                    submit={text.correction.undo}
                  >
                    <p>{wordsOf(entry)}</p>
                    {children}
                  </Form>
                )}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
