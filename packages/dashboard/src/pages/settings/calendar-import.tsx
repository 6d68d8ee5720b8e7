import { useSignal } from '@preact/signals';
import { isRefused, RequestError } from '../../data/calls.ts';
import { type Imported, importCalendar, type OpeningHours } from '../../data/settings-calls.ts';
import { Notice } from '../../parts/card.tsx';
import { Checkbox } from '../../parts/fields.tsx';
import { useSending } from '../../parts/form.tsx';
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
  const file = useSignal<File | undefined>(undefined);
  const allDay = useSignal(true);
  const result = useSignal<Imported | undefined>(undefined);
  const { isSending, problem, send } = useSending((error) =>
    isRefused(error) ? text.settings.calendar.refused : text.unreachable,
  );
  const importFile = (chosen: File) =>
    send(async () => {
      result.value = undefined;
      if (chosen.size > mostBytes) throw new RequestError(413, '');
      result.value = await importCalendar(sid, await chosen.text(), allDay.value);
      onImported(result.value.openingHours);
    });
  return (
    <details>
      <summary>{text.settings.calendar.heading}</summary>
      <div class="stack">
        <p class="small">{text.settings.calendar.explain}</p>
        <label class="field">
          {text.settings.calendar.file}
          <input
            type="file"
            accept=".ics,text/calendar"
            onChange={({ currentTarget }) => {
              file.value = currentTarget.files?.[0];
            }}
          />
        </label>
        <Checkbox
          label={text.settings.calendar.allDay}
          isChecked={allDay.value}
          onChange={(isChecked) => {
            allDay.value = isChecked;
          }}
        />
        <div class="row">
          <button
            type="button"
            disabled={file.value === undefined || isSending}
            onClick={() => file.value && void importFile(file.value)}
          >
            {isSending ? text.saving : text.settings.calendar.button}
          </button>
        </div>
        {problem && (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        {result.value && <Result imported={result.value} />}
      </div>
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
