import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { auditsOf } from '../data/audit-calls.ts';
import { devices, newId } from '../data/calls.ts';
import type { Audit } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { hrefOf } from '../parts/address.ts';
import { Card, Notice } from '../parts/card.tsx';
import { ConfirmedButton } from '../parts/dialog.tsx';
import { Loading, useLoaded } from '../parts/loaded.tsx';
import { doorName } from '../status/door-names.ts';
import { text } from '../text/text.ts';
import { FinishForm } from './audit/finish-form.tsx';
import { EarlierAudits, Result } from './audit/result.tsx';
import { TapPad } from './audit/tap-pad.tsx';
import { KeptTaps, type Taps } from './audit/taps.ts';
import { UploadForm } from './audit/upload-form.tsx';
import '../style/audit.css';

/** ms */
const interval = 5_000;

/** The check of a door on a phone: one tap for each person who walks through, and afterwards how well the door counts. */
export function AuditPage({ serial }: { readonly serial: string }) {
  const kept = useKeptTaps(serial);
  const taps = kept.taps.value;
  const step = useSignal<'begin' | 'tap' | 'finish'>(taps?.isSent ? 'finish' : 'begin');
  const stored = useSignal<string | undefined>(undefined);
  const audits = useLoaded(() => auditsOf(serial), [serial], interval);
  const known = useLoaded(() => devices(), [serial], 60_000);
  const device = known.value?.find((one) => one.serial === serial);
  const name = device ? doorName(device) : serial;
  const begin = () => {
    kept.begin(newId());
    step.value = isTooOld(kept.read()) ? 'finish' : 'tap';
    stored.value = undefined;
  };
  const showStored = (audit: Audit) => {
    stored.value = audit.id;
    audits.reload();
  };
  const discard = () => {
    if (taps) kept.discard(taps.id);
    step.value = 'begin';
  };
  const back = { href: hrefOf({ page: 'devices' }), label: text.nav.devices };
  const result = audits.value?.find(({ id }) => id === stored.value);
  if (known.value && !device && !taps) {
    return (
      <main class="audit">
        <PageHeading title={text.unknown} back={back} />
      </main>
    );
  }
  if (taps && step.value === 'tap') {
    return (
      <main class="audit tapping">
        <PageHeading title={name} />
        <TapPad
          taps={taps}
          kept={kept}
          onFinish={() => {
            step.value = 'finish';
          }}
        />
      </main>
    );
  }
  return (
    <main class="audit">
      <PageHeading title={text.audit.heading(name)} back={back} />
      {taps && step.value === 'finish' ? (
        <Card title={text.audit.finish}>
          <FinishForm
            {...{ serial, kept, taps }}
            onStored={(audit) => {
              step.value = 'begin';
              showStored(audit);
            }}
            onBack={isTooOld(taps) ? undefined : () => (step.value = 'tap')}
          />
          <Discard onDiscard={discard} />
        </Card>
      ) : (
        <Card title={text.audit.atTheDoor}>
          {result && <Result audit={result} />}
          <Instructions taps={taps} onBegin={begin} onDiscard={discard} />
          <UploadForm serial={serial} onStored={showStored} />
        </Card>
      )}
      <Card title={text.audit.earlier}>
        <Loading of={audits} />
        {audits.value && <EarlierAudits audits={audits.value} />}
      </Card>
    </main>
  );
}

/** The taps at a door; those of another window are read at once. */
function useKeptTaps(serial: string): KeptTaps {
  const kept = useMemo(() => new KeptTaps(serial, localStorage), [serial]);
  useEffect(() => {
    const read = () => {
      kept.read();
    };
    addEventListener('storage', read);
    return () => removeEventListener('storage', read);
  }, [kept]);
  return kept;
}

/** The server accepts taps within twelve hours (ms); a tap of today does not belong to a check of yesterday. */
const longest = 6 * 60 * 60_000;

function isTooOld(taps: Taps | undefined): boolean {
  const [first] = taps?.passages ?? [];
  return first !== undefined && Date.now() - first[0] > longest;
}

interface InstructionsProps {
  readonly taps: Taps | undefined;
  readonly onBegin: () => void;
  readonly onDiscard: () => void;
}

function Instructions({ taps, onBegin, onDiscard }: InstructionsProps) {
  return (
    <>
      <p>{text.audit.explain}</p>
      <ul class="hints">
        {text.audit.hints.map((hint) => (
          <li key={hint}>{hint}</li>
        ))}
      </ul>
      {taps && (
        <Notice tone="warn">
          <p>{text.audit.unfinished(taps.passages.length)}</p>
        </Notice>
      )}
      <div class="row">
        <button type="button" class="primary" onClick={onBegin}>
          {taps ? text.goOn : text.audit.begin}
        </button>
        {taps && <Discard onDiscard={onDiscard} />}
      </div>
    </>
  );
}

function Discard({ onDiscard }: { readonly onDiscard: () => void }) {
  const { discard, discardSure } = text.audit;
  return <ConfirmedButton label={discard} class="quiet" question={discardSure} onConfirm={onDiscard} />;
}
