import { useSignal } from '@preact/signals';
import { RequestError, store, stores } from '../data/calls.ts';
import { serverNow } from '../data/clock.ts';
import type { LiveState } from '../data/live.ts';
import { saveStoreSettings, storeSettings } from '../data/settings-calls.ts';
import type { Session } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { hrefOf } from '../parts/address.ts';
import { Card, Name } from '../parts/card.tsx';
import { bound, Field, few, SearchField } from '../parts/fields.tsx';
import { Loading, useLoaded } from '../parts/loaded.tsx';
import { compareNames, matches } from '../text/locale.ts';
import { text } from '../text/text.ts';
import { AlertRulesForm } from './settings/alert-rules-form.tsx';
import { OpeningHoursForm } from './settings/opening-hours-form.tsx';
import { RecipientsForm } from './settings/recipients-form.tsx';
import { SaveForm } from './settings/save-form.tsx';
import { StaffForm } from './settings/staff-form.tsx';
import '../style/settings.css';

interface SettingsProps {
  readonly live: LiveState;
  readonly session: Session;
  /** A store; undefined for the company. */
  readonly sid: string | undefined;
}

/** What staff with that right may set: of the company, or of one store. */
export function SettingsPage({ live, session, sid }: SettingsProps) {
  if (sid !== undefined) return <StoreSettingsPage live={live} sid={sid} />;
  return (
    <>
      <PageHeading title={text.nav.settings} />
      <div class="stack narrow">
        <StoreList />
        {session.stores === null && (
          <>
            <AlertRulesForm />
            <RecipientsForm />
          </>
        )}
      </div>
    </>
  );
}

function StoreList() {
  const loaded = useLoaded(stores, []);
  const search = useSignal('');
  const sorted = (loaded.value ?? []).toSorted((a, b) => compareNames(a.name, b.name));
  const found = sorted.filter(({ name, sid }) => matches([name, sid], search.value));
  return (
    <Card title={text.nav.overview}>
      <p class="small">{text.settings.storesExplain}</p>
      <Loading of={loaded} />
      {sorted.length > few && <SearchField label={text.stores.search} {...bound(search)} />}
      <ul class="links">
        {found.map(({ sid, name }) => (
          <li key={sid}>
            <a href={hrefOf({ page: 'settings', sid })}>
              <Name>{name}</Name>
            </a>
          </li>
        ))}
      </ul>
      {sorted.length > 0 && found.length === 0 && <p class="small">{text.notFound}</p>}
    </Card>
  );
}

function StoreSettingsPage({ live, sid }: { readonly live: LiveState; readonly sid: string }) {
  const loaded = useLoaded(() => storeWithSettings(sid), [sid]);
  const { value } = loaded;
  const name = value?.name ?? live.store(sid)?.name ?? '';
  const back = { href: hrefOf({ page: 'settings' }), label: text.nav.settings };
  if (value === null) return <PageHeading title={text.unknown} back={back} />;
  return (
    <>
      <PageHeading title={name || text.nav.settings} section={name && text.nav.settings} back={back} />
      <Loading of={loaded} />
      {value && (
        <div class="stack narrow">
          <CapacityForm sid={sid} capacity={value.capacity} />
          <OpeningHoursForm sid={sid} hours={value.openingHours} today={value.today} />
          <StaffForm sid={sid} plan={value.staff} today={value.today} />
        </div>
      )}
    </>
  );
}

/** The settings of a store, its name, and its date, by the clock of the server; null if the user does not see the store. */
async function storeWithSettings(sid: string) {
  const loading = Promise.all([storeSettings(sid), store(sid)]);
  const found = await loading.catch((error: unknown) => {
    if (error instanceof RequestError && error.status === 404) return null;
    throw error;
  });
  if (found === null) return null;
  const [settings, { name, timeZone }] = found;
  return { ...settings, name, today: new Date(serverNow()).toLocaleDateString('sv', { timeZone }) };
}

/** How many people may be inside. */
function CapacityForm({ sid, capacity }: { readonly sid: string; readonly capacity: number | null }) {
  const save = (given: FormData) => {
    const entered = String(given.get('capacity'));
    return saveStoreSettings(sid, { capacity: entered === '' ? null : Number(entered) });
  };
  return (
    <SaveForm title={text.settings.capacity} explain={text.settings.capacityExplain} onSave={save}>
      <Field
        label={text.settings.people}
        hint={text.settings.capacityHint}
        name="capacity"
        type="number"
        inputMode="numeric"
        min={1}
        max={1_000_000}
        step={1}
        defaultValue={capacity ?? ''}
      />
    </SaveForm>
  );
}
