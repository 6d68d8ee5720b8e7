import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { applyFile } from '@visitor-counter/test/admin';
import { freePorts } from '@visitor-counter/test/free-ports';
import { programArgs } from '@visitor-counter/test/service-process';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type DatabaseUnderAttack, startDatabase } from '../faults/world/database.ts';
import { Supervised } from '../faults/world/supervised.ts';
import { AlertUnit } from './alert-unit.ts';
import { afterSeconds, capacity, incidents } from './incidents.ts';
import { type Sinks, startSinks } from './sinks.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const secretsKey = randomBytes(32).toString('base64');
const tokenOf = (company: string) => `token of ${company}`;
const Listed = Compile(
  Type.Object({
    items: Type.Array(
      Type.Object({ id: Type.String(), clearedAt: Type.Union([Type.String(), Type.Null()]) }),
    ),
  }),
);
const secretOf = (company: string) => `secret of ${company}`;

/**
 * Everything between a door and the alert targets. Each part is a process that is restarted when it is
 * killed.
 */
export interface AlertStack {
  readonly databaseUrl: string;
  readonly sinks: Sinks;
  /** The unit of each company. */
  readonly units: ReadonlyMap<string, AlertUnit>;
  /** Kills each process with SIGKILL, by its name. */
  readonly kill: Readonly<Record<Victim, () => Promise<void>>>;
  /** The ids of a company's open or ended alerts, from the read interface. */
  listed(company: string, state: 'open' | 'over'): Promise<string[]>;
  /** How processes ended that the test did not kill. */
  ends(): string[];
  stop(): Promise<void>;
}

export const victims = ['alerts', 'gateway', 'api', 'postgres'] as const;
export type Victim = (typeof victims)[number];

/** Starts the stack in a folder, with a company for each kind of incident. */
export async function startAlertStack(folder: string): Promise<AlertStack> {
  await using cleaning = new AsyncDisposableStack();
  await mkdir(folder, { recursive: true });
  const sinks = cleaning.adopt(await startSinks(secret), ({ close }) => close());
  const database = cleaning.adopt(await startDatabase(join(folder, 'postgres')), (started) => started.stop());
  await applyFile(JSON.stringify(topology(sinks.webhookUrl)), {
    DATABASE_URL: database.url,
    SECRETS_KEY: secretsKey,
  });
  const [gatewayPort = 0, apiPort = 0] = await freePorts(2);
  const common = { DATABASE_URL: database.url, METRICS_PORT: '0', SECRETS_KEY: secretsKey };
  const mail = { SMTP_URL: sinks.smtpUrl, MAIL_FROM: 'counter@host.example' };
  const program = (name: 'alerts' | 'api' | 'gateway', env: Record<string, string>) => {
    const logFile = join(folder, `${name}.log`);
    const args = programArgs(name);
    const service = new Supervised({ name, args, env: () => ({ ...common, ...env }), logFile });
    cleaning.defer(async () => void (await service.stop()));
    return service;
  };
  const gateway = program('gateway', { MQTT_PORT: String(gatewayPort) });
  const api = program('api', { HTTP_PORT: String(apiPort) });
  const alerts = program('alerts', mail);
  await Promise.all([gateway, api, alerts].map((service) => service.start()));
  const units = new Map<string, AlertUnit>();
  for (const company of Object.keys(incidents)) {
    const unit = new AlertUnit(gatewayPort, company, secretOf(company));
    units.set(
      company,
      cleaning.adopt(unit, (one) => one.end()),
    );
  }
  const started = cleaning.move();
  return {
    databaseUrl: database.url,
    sinks,
    units,
    listed: (company, state) => listed(apiPort, company, state),
    kill: killers({ alerts, gateway, api }, database),
    ends: () => [alerts, api, gateway].flatMap(({ ends }) => ends),
    stop: () => started.disposeAsync(),
  };
}

async function listed(port: number, company: string, state: 'open' | 'over'): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/alerts`, {
    headers: { authorization: `Bearer ${tokenOf(company)}` },
  });
  const { items } = Listed.Parse(await answer.json());
  return items.filter(({ clearedAt }) => (clearedAt === null) === (state === 'open')).map(({ id }) => id);
}

function killers(
  services: Readonly<Record<'alerts' | 'gateway' | 'api', Supervised>>,
  database: DatabaseUnderAttack,
): AlertStack['kill'] {
  const { alerts, gateway, api } = services;
  return {
    alerts: () => alerts.kill(),
    gateway: () => gateway.kill(),
    api: () => api.kill(),
    postgres: () => database.kill(),
  };
}

/** A company of each kind, with one store, one door, one rule, and both kinds of targets. */
function topology(url: string): object {
  const companies = Object.keys(incidents).map((kind) => ({
    name: kind,
    stores: [{ sid: 'S-1', name: 'Main', timeZone: 'Etc/UTC', capacity }],
    devices: [{ serial: kind, name: 'Front', store: 'S-1', secret: secretOf(kind) }],
    alertRules: [kind === 'capacity-reached' ? { kind } : { kind, after: `${afterSeconds}s` }],
    credentials: [{ kind: 'counts', label: 'reader', value: tokenOf(kind) }],
    alertTargets: [
      { label: 'hook', url, secret },
      { label: 'mail', mail: 'ops@shop.example' },
    ],
  }));
  return { companies };
}
