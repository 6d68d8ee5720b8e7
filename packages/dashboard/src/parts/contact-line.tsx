import type { LiveState } from '../live/live-state.ts';
import { text } from '../text/en.ts';
import { timeIn } from '../text/times.ts';

/** Says whether the numbers are live; loudly when they are not. */
export function ContactLine({ live }: { readonly live: LiveState }) {
  const contact = live.contact.value;
  const since = live.heardAt.value;
  const message =
    contact === 'lost' ? text.contact.lost(since === undefined ? '' : timeIn(since)) : text.contact[contact];
  return (
    <p class={`contact ${contact}`} role="status" data-contact={contact}>
      <span class="dot" aria-hidden="true" />
      {message}
    </p>
  );
}
