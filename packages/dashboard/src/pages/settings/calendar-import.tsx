import { useSignal } from '@preact/signals';
import { isRefused, RequestError } from '../../data/calls.ts';
import { type Imported, importCalendar, type OpeningHours } from '../../data/settings-calls.ts';
import { Notice } from '../../parts/card.tsx';
import { Checkbox, Field } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { longDate } from '../../text/dates.ts';
import { isolated } from '../../text/locale.ts';
import { known, text } from '../../text/text.ts';

/** As /v1 allows (bytes). */
const mostBytes = 1024 * 1024;

interface CalendarImportProps {
  readonly sid: string;
  readonly onImported: (hours: OpeningHours | null) => void;
}

/** Adds the dates of a calendar file, which are saved at once. */
export function CalendarImport({ sid, onImported }: CalendarImportProps) {
  const result = useSignal<Imported | undefined>(undefined);
  const importFile = async (given: FormData) => {
    const file = given.get('calendar');
    result.value = undefined;
    if (!(file instanceof File) || file.size > mostBytes) throw new RequestError(413, '');
    result.value = await importCalendar(sid, await file.text(), given.has('allDay'));
    onImported(result.value.openingHours);
  };
  return (
    <details>
      <summary>{text.settings.calendar.heading}</summary>
      <Form
        onSubmit={importFile}
        submit={text.settings.calendar.button}
        whyNot={(error) => (isRefused(error) ? text.settings.calendar.refused : text.unreachable)}
      >
        <p class="small">{text.settings.calendar.explain}</p>
        <Field
          label={text.settings.calendar.file}
          name="calendar"
          type="file"
          accept=".ics,text/calendar"
          required
        />
        <Checkbox label={text.settings.calendar.allDay} name="allDay" isChecked />
        {result.value && <Result imported={result.value} />}
      </Form>
    </details>
  );
}

function Result({ imported: { imported, leftOut } }: { readonly imported: Imported }) {
  return (
    <Notice tone={imported.length > 0 ? 'good' : 'warn'} role="status">
      <p>{text.settings.calendar.imported(imported.length)}</p>
      {leftOut.length > 0 && (
        <details>
          <summary>{text.settings.calendar.leftOut(leftOut.length)}</summary>
          <ul>
            {leftOut.map(({ summary, date, reason }, index) => (
              <li key={index}>
                {[isolated(summary), date && longDate(date)].filter(Boolean).join(', ')}:{' '}
                {known(text.settings.calendar.reasons, reason)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Notice>
  );
}
