import { styleText } from 'node:util';
import type { DemoAddresses } from '../config/addresses.ts';

export interface NextSteps {
  readonly addresses: DemoAddresses;
  /** A file of certificates with which `curl` can verify the api, if it speaks TLS. */
  readonly caFile: string | undefined;
  /** The credential for the page. */
  readonly staff: string;
  readonly company: string;
  readonly shopGroup: string;
  readonly serialNumber: string;
  readonly token: string;
  readonly key: string;
  /** An hour of the recording with traffic, as local date-times. */
  readonly from: string;
  readonly to: string;
  /** The recording's first and last day. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** Addresses, credentials, and one `curl` line for each of the five operations. */
export function nextSteps(steps: NextSteps): string {
  const { addresses, caFile, company, shopGroup, serialNumber, token, key, from, to } = steps;
  const { serviceUrl, mqttUrl, mqttsUrl } = addresses;
  const heading = (text: string) => `\n${styleText('bold', text)}`;
  const range = [
    ['DateFrom', from],
    ['DateTo', to],
  ] as const;
  const common = [
    ['Token', token],
    ['CompanyName', company],
  ] as const;
  const trust = caFile === undefined ? '' : `--cacert '${caFile}' `;
  const call = (operation: string, fields: readonly (readonly [string, string])[], header = '') =>
    `curl -s ${trust}${header}${fields.map(formField).join(' ')} ${serviceUrl}/${operation}`;
  return [
    heading('The page'),
    `  address  ${addresses.pageUrl}`,
    `  sign in  ${steps.staff}`,
    heading('Public interface'),
    `  address  ${serviceUrl}`,
    `  token    ${token}   (the four count operations)`,
    `  key      ${key}   (GetLifeSignalInactive)`,
    `  units    ${mqttsUrl === undefined ? mqttUrl : `${mqttsUrl}   (${mqttUrl} for those of the demonstration)`}`,
    heading('Try the five operations'),
    call(
      'GetLifeSignalInactive',
      [
        ['CompanyName', company],
        ['InactiveForHours', '0.001'],
      ],
      `-H 'Authorization: ${key}' `,
    ),
    call('GetAllCountsByCompanyForTodayPublic', common),
    call('GetCountsByShopGroupAndDatePublic', [...common, ['ShopGroupName', shopGroup], ...range]),
    call('GetCountsBySerialNumberAndDatePublic', [...common, ['SerialNumber', serialNumber], ...range]),
    call('GetCountsByCompanyAndDatePublic', [...common, ...range, ['In', 'true']]),
    '',
    `The whole recording: ${serialNumber} from DateFrom=${steps.firstDay} to DateTo=${steps.lastDay}.`,
    'The operator: npx pnpm admin device list',
    '',
  ].join('\n');
}

/** As short as possible: encodes only the characters that a form requires. */
function formField([name, value]: readonly [string, string]): string {
  const plain = /^[\w.:~-]+$/.test(value);
  return plain ? `-d ${name}=${value}` : `--data-urlencode '${name}=${value}'`;
}
