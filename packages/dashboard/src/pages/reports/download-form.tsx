import { useSignal } from '@preact/signals';
import type { Store } from '../../data/shapes.ts';
import { Card } from '../../parts/card.tsx';
import { Choice, Field } from '../../parts/fields.tsx';
import { FileLinks } from '../../parts/file-links.tsx';
import { text } from '../../text/text.ts';
import { type Scope, ScopeField } from './scope-field.tsx';

const tables = ['day', 'hour', 'week', 'month', 'stores'] as const;

/** Downloads the visitors of a period as a file. */
export function DownloadForm({ stores }: { readonly stores: readonly Store[] }) {
  const table = useSignal<(typeof tables)[number]>('day');
  const scope = useSignal<Scope>({ group: null, store: null });
  const from = useSignal(daysAgo(28));
  const to = useSignal(daysAgo(1));
  const isPeriod = from.value !== '' && to.value !== '' && from.value <= to.value;
  const query = { from: from.value, to: to.value, compare: 'weekdays', ...scope.value };
  return (
    <Card title={text.reports.download}>
      <p class="small">{text.reports.downloadExplain}</p>
      <div class="columns">
        <Choice
          label={text.reports.table}
          value={table.value}
          options={tables.map((one) => [one, text.chart.by[one]])}
          onChoose={(chosen) => {
            table.value = chosen;
          }}
        />
        <ScopeField
          value={scope.value}
          stores={stores}
          hasStores={table.value !== 'stores'}
          onChoose={(chosen) => {
            scope.value = chosen;
          }}
        />
        <Field type="date" label={text.ranges.from} entered={from} max={to.value} />
        <Field
          type="date"
          label={text.ranges.to}
          entered={to}
          min={from.value}
          problem={isPeriod ? undefined : text.ranges.order}
        />
      </div>
      {isPeriod && (
        <div class="row">
          {table.value === 'stores' ? (
            <FileLinks class="button" path="/v1/visitors/stores" query={{ ...query, store: null }} />
          ) : (
            <FileLinks class="button" path="/v1/visitors" query={{ ...query, bucket: table.value }} />
          )}
        </div>
      )}
    </Card>
  );
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toLocaleDateString('sv');
}
