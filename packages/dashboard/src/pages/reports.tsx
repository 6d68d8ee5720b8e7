import type { ComponentChildren } from 'preact';
import { RequestError, stores } from '../data/calls.ts';
import { previewAddress, type Report, reports } from '../data/report-calls.ts';
import type { Store } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { Card, Empty, Name, Notice } from '../parts/card.tsx';
import { DialogButton } from '../parts/dialog.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Loading, useLoaded } from '../parts/loaded.tsx';
import { dayAndTimeHere, timeOfHour } from '../text/dates.ts';
import { languages } from '../text/locale.ts';
import { text } from '../text/text.ts';
import { DownloadForm } from './reports/download-form.tsx';
import { ReportForm } from './reports/report-form.tsx';
import { TestForm } from './reports/test-form.tsx';
import '../style/settings.css';

/** Polling interval (ms). */
const interval = 60_000;

/** Files of a period, and reports by mail. Only staff who may change settings see the reports. */
export function ReportsPage() {
  const { value: known = [] } = useLoaded(stores, [], interval);
  const loaded = useLoaded(() => reports().catch(nullIfForbidden), [], interval);
  const { value: mailed, reload } = loaded;
  const formOf = (report?: Report) => (close: () => void) => (
    <ReportForm
      report={report}
      stores={known}
      onDone={() => {
        close();
        reload();
      }}
      onCancel={close}
    />
  );
  return (
    <>
      <PageHeading title={text.nav.reports} />
      <div class="stack narrow">
        <DownloadForm stores={known} />
        {loaded.failed && <Loading of={loaded} />}
        {mailed && (
          <Card
            title={text.reports.byMail}
            actions={
              <DialogButton
                label={
                  <>
                    <Glyph name="plus" />
                    {text.reports.add}
                  </>
                }
                title={text.reports.add}
                content={formOf()}
              />
            }
          >
            <p class="small">{text.reports.explain}</p>
            {mailed.mailServer === false && <Notice tone="warn">{text.reports.noServer}</Notice>}
            {mailed.items.length === 0 && <Empty glyph="calendar">{text.none}</Empty>}
            <ul class="report-list">
              {mailed.items.map((one) => (
                <ReportRow
                  key={one.id}
                  report={one}
                  stores={known}
                  canSend={mailed.mailServer !== false}
                  form={formOf(one)}
                />
              ))}
            </ul>
          </Card>
        )}
      </div>
    </>
  );
}

/** Only for staff without the right there are no reports; every other failure is one of loading. */
function nullIfForbidden(error: unknown): null {
  if (error instanceof RequestError && error.status === 403) return null;
  throw error;
}

/** The content of a dialog. */
type Form = (close: () => void) => ComponentChildren;

interface RowProps {
  readonly report: Report;
  readonly stores: readonly Store[];
  /** Whether there is a mail server. */
  readonly canSend: boolean;
  readonly form: Form;
}

function ReportRow({ report, stores: known, canSend, form }: RowProps) {
  const { id, name, period, recipients, language, hour, enabled, lastSentAt, problem } = report;
  const at = hour === null ? [] : [text.reports.at(timeOfHour(hour))];
  const facts = [text.reports.periods[period], ...at, scopeOf(report, known), languages[language]];
  const label = (
    <>
      <strong>
        <Name>{name}</Name>
      </strong>
      <span>{[...facts, ...(enabled ? [] : [text.reports.off])].join(' · ')}</span>
      <span class="small">
        <Name>{recipients.join(', ')}</Name>
      </span>
      {/* The stores of a report may be in several zones. */}
      <span class="small">
        {lastSentAt === null
          ? text.reports.neverSent
          : text.reports.sent(dayAndTimeHere(Date.parse(lastSentAt)))}
      </span>
    </>
  );
  return (
    <li>
      <DialogButton label={label} class="quiet report-row" title={name} content={form} />
      {problem !== null && canSend && (
        <Notice tone="warn">
          {text.reports.problem} <span lang="en">({problem})</span>
        </Notice>
      )}
      <div class="row">
        <a class="button" href={previewAddress(id)} target="_blank" rel="noopener">
          {text.reports.preview}
        </a>
        {canSend && (
          <DialogButton
            label={text.reports.test}
            title={text.reports.test}
            content={(close) => <TestForm report={report} onClose={close} />}
          />
        )}
      </div>
    </li>
  );
}

function scopeOf({ group, stores: sids }: Report, known: readonly Store[]): string {
  if (group !== null) return group;
  if (sids === null) return text.words.allStores;
  const names = sids.map((sid) => known.find((one) => one.sid === sid)?.name ?? sid);
  return names.length === 1 ? (names[0] ?? '') : text.reports.someStores(names.length);
}
