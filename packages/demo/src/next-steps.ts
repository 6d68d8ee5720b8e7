import { resolve } from 'node:path';
import { styleText } from 'node:util';
import { addDays } from '@visitor-counter/domain/time-zone';
import type { DemoState } from './company/demo-state.ts';
import { demoCompany, demoStores, recordedDays, recordedStore } from './company/stores.ts';
import type { DemoAddresses } from './demo-config.ts';

/**
 * Addresses, credentials, and one `curl` line for each operation. `certFile` is the certificate of the api
 * if it speaks TLS, with which `curl` can verify it.
 */
export function nextSteps(
  state: DemoState,
  { pageUrl, serviceUrl, mqttUrl, mqttsUrl }: DemoAddresses,
  certFile: string | undefined,
): string {
  const store = demoStores.find(({ name }) => name === recordedStore);
  const [door] = store?.doors ?? [];
  const firstDay = store && state.startsOn[store.sid];
  if (store === undefined || door === undefined || firstDay === undefined) return '';
  const { token, key, staff } = state;
  const heading = (text: string) => `\n${styleText('bold', text)}`;
  const lastFriday = addDays(firstDay, recordedDays - 2);
  /* Half an hour of the recording with traffic. */
  const range = { DateFrom: `${lastFriday}T12:00`, DateTo: `${lastFriday}T12:30` };
  const common = { Token: token, CompanyName: demoCompany };
  const trust = certFile === undefined ? '' : `--cacert '${resolve(certFile)}' `;
  const call = (operation: string, fields: Readonly<Record<string, string>>, header = '') =>
    `curl -s ${trust}${header}${Object.entries(fields).map(formField).join(' ')} ${serviceUrl}/${operation}`;
  return [
    heading('The page'),
    `  address  ${pageUrl}`,
    `  sign in  ${staff}`,
    heading('Public interface'),
    `  address  ${serviceUrl}`,
    `  token    ${token}   (the four count operations)`,
    `  key      ${key}   (GetLifeSignalInactive)`,
    `  units    ${mqttsUrl === undefined ? mqttUrl : `${mqttsUrl}   (${mqttUrl} for those of the demonstration)`}`,
    heading('Try the five operations'),
    call(
      'GetLifeSignalInactive',
      { CompanyName: demoCompany, InactiveForHours: '0.001' },
      `-H 'Authorization: ${key}' `,
    ),
    call('GetAllCountsByCompanyForTodayPublic', common),
    call('GetCountsByShopGroupAndDatePublic', { ...common, ShopGroupName: store.group, ...range }),
    call('GetCountsBySerialNumberAndDatePublic', { ...common, SerialNumber: door.serial, ...range }),
    call('GetCountsByCompanyAndDatePublic', { ...common, ...range, In: 'true' }),
    '',
    `The whole recording: ${door.serial} from DateFrom=${firstDay} to DateTo=${addDays(firstDay, recordedDays - 1)}.`,
    'The operator: npx pnpm admin device list',
    '',
  ].join('\n');
}

/** As short as possible: encodes only the characters that a form requires. */
function formField([name, value]: readonly [string, string]): string {
  const plain = /^[\w.:~-]+$/.test(value);
  return plain ? `-d ${name}=${value}` : `--data-urlencode '${name}=${value}'`;
}
