import { useSignal } from '@preact/signals';
import { stores } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import { storeSettings } from '../data/settings-calls.ts';
import type { Session } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { hrefOf } from '../parts/address.ts';
import { Card, Name } from '../parts/card.tsx';
import { Failed, useLoaded } from '../parts/loaded.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { compareNames, matches } from '../text/search.ts';
import { text } from '../text/text.ts';
import { AlertRulesForm } from './settings/alert-rules-form.tsx';
import { CapacityForm } from './settings/capacity-form.tsx';
import { OpeningHoursForm } from './settings/opening-hours-form.tsx';
import { RecipientsForm } from './settings/recipients-form.tsx';
import { StaffForm } from './settings/staff-form.tsx';

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
      <div class="settings">
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

/** The most stores in the list; the others are found by their names. */
const most = 100;
const few = 8;

function StoreList() {
  const { value, failed, reload } = useLoaded(stores, []);
  const search = useSignal('');
  const sorted = (value ?? []).toSorted((a, b) => compareNames(a.name, b.name));
  const found = sorted.filter(({ name, sid }) => matches([name, sid], search.value));
  return (
    <Card title={text.nav.overview}>
      <p class="small">{text.settings.storesExplain}</p>
      {value === undefined && (failed ? <Failed again={reload} /> : <p>{text.loading}</p>)}
      {sorted.length > few && (
        <SearchField
          label={text.stores.search}
          value={search.value}
          onSearch={(typed) => {
            search.value = typed;
          }}
        />
      )}
      <ul class="links">
        {found.slice(0, most).map(({ sid, name }) => (
          <li key={sid}>
            <a href={hrefOf({ page: 'settings', sid })}>
              <Name>{name}</Name>
            </a>
          </li>
        ))}
      </ul>
      {found.length > most && <p class="small">{text.settings.more(found.length - most)}</p>}
    </Card>
  );
}

function StoreSettingsPage({ live, sid }: { readonly live: LiveState; readonly sid: string }) {
  const { value, failed, reload } = useLoaded(() => storeSettings(sid), [sid]);
  const known = useLoaded(stores, [sid]);
  const store = known.value?.find((one) => one.sid === sid);
  const name = store?.name ?? live.stores.value.find((one) => one.store === sid)?.name ?? '';
  const timeZone = store?.timeZone;
  const today = new Date().toLocaleDateString('sv', timeZone === undefined ? {} : { timeZone });
  const back = { href: hrefOf({ page: 'settings' }), label: text.nav.settings };
  if (known.value && !store) return <PageHeading title={text.store.unknown} back={back} />;
  return (
    <>
      <PageHeading title={name || text.nav.settings} section={name && text.nav.settings} back={back} />
      {value === undefined && (failed ? <Failed again={reload} /> : <p>{text.loading}</p>)}
      {value && (
        <div class="settings">
          <CapacityForm sid={sid} capacity={value.capacity} />
          <OpeningHoursForm sid={sid} hours={value.openingHours} today={today} />
          <StaffForm sid={sid} plan={value.staff} today={today} />
        </div>
      )}
    </>
  );
}
