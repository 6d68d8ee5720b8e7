import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readApiConfig } from '@visitor-counter/api/config';
import { imageConfig } from '@visitor-counter/packaging/image/package-image';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { readCompose, root, type Service, serviceOf } from './compose-file.ts';

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const fromFiles = 'packages/packaging/containers/certificates-from-files.yml';
const env = { DOMAIN: 'counter.example' };
const automatic = readCompose(env);
const services = Object.entries(automatic.services);
const withCertificates = readCompose(env, fromFiles);
/** The files of secrets are only in containers. */
const withoutSecrets = (environment: Service['environment'] = {}) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.endsWith('_FILE')));
const mount = ({ volumes = [] }: Service, target: string) =>
  volumes.find((volume) => typeof volume !== 'string' && volume.target === target);

test.each(services)(
  '%s runs without root, capabilities and a root folder that can be written, within limits',
  (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      user: expect.not.stringMatching(/^(0|root)\b/),
      mem_limit: expect.any(String),
      pids_limit: expect.any(Number),
      logging: { options: { 'max-size': expect.any(String) } },
    });
    expect(service.privileged).toBeUndefined();
    expect(service.cap_add).toEqual(name === 'caddy' ? ['NET_BIND_SERVICE'] : undefined);
    expect(service.volumes ?? []).not.toContainEqual(expect.stringContaining('docker.sock'));
  },
);

test('every service except one-time commands has a health check and restarts', () => {
  const lasting = services.filter(([, { restart }]) => restart !== 'no');
  expect(lasting.map(([name]) => name)).toEqual(['caddy', 'postgres', 'server']);
  for (const [, { healthcheck, restart }] of lasting) {
    expect(healthcheck?.test[0]).toBe('CMD');
    expect(restart).toBe('unless-stopped');
  }
});

test('the server starts whenever Caddy has its certificate: nothing waits for it only for a while', () => {
  for (const [, { depends_on = {} }] of services) expect(Object.keys(depends_on)).not.toContain('caddy');
  expect(serviceOf(automatic, 'server').restart).toBe('unless-stopped');
});

test('pins the images of others with their version and system: another libc can sort text differently', () => {
  const images = services.map(([, { image }]) => image).filter((image) => image.startsWith('docker.io/'));
  expect(images.length).toBeGreaterThan(0);
  expect(images.filter((image) => !/:\d+\.[\d.]+-[a-z]+$/.test(image))).toEqual([]);
});

test('cannot start without the name of the server', () => {
  expect(() => readCompose({})).toThrow(/^DOMAIN is not set: set it in the file \.env/);
});

test.each(['setup', 'server', 'admin'])(
  'passes to %s only settings that exist, and secrets only as files',
  (name) => {
    const settings = textOf('docs/configuration.md');
    const compose = readCompose({ ...env, SMTP_URL_FILE: './secrets/smtp_url' });
    const { environment = {}, secrets = [], command } = serviceOf(compose, name);
    const unknown = Object.keys(environment).filter((variable) => !settings.includes(`\`${variable}\``));
    expect(unknown).toEqual([]);
    const files = Object.entries(environment).flatMap(([key, file]) => (key.endsWith('_FILE') ? [file] : []));
    /* The setup reads the passwords of the roles in the folder of all secrets. */
    const isSetup = command?.includes('--passwords=/run/secrets') ?? false;
    const others = secrets.filter((secret) => !(isSetup && secret.endsWith('_password')));
    expect(files).toEqual(others.map((secret) => `/run/secrets/${secret}`));
    expect(Object.values(environment).join()).not.toMatch(/:\/\/[^/,]*:[^/,]*@/);
  },
);

test('only the database and its setup know its superuser, and the server cannot change its tables', () => {
  const knowing = (secret: string) =>
    services.filter(([, { secrets }]) => secrets?.includes(secret)).map(([name]) => name);
  expect(knowing('superuser')).toEqual(['postgres']);
  expect(knowing('database_admin_url')).toEqual(['setup']);
  expect(knowing('migrate_password')).toEqual(['setup']);
  expect(knowing('database_url')).toEqual(['server', 'admin']);
});

test('one command makes every secret, and keeps existing ones', async () => {
  const folder = await temporaryFolder();
  const names = Object.values(automatic.secrets).flatMap(({ file }) => (file === '/dev/null' ? [] : [file]));
  const make = () =>
    execFileSync('sh', [join(root, 'packages/packaging/containers/make-secrets.sh')], { cwd: folder });
  const read = () => Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));

  make();
  const made = await read();
  make();

  expect(await read()).toEqual(made);
  expect(new Set(made).size).toBe(names.length);
  expect((await readdir(join(folder, 'secrets'))).map((name) => `./secrets/${name}`).sort()).toEqual(
    names.toSorted(),
  );
  expect((await stat(join(folder, 'secrets'))).mode & 0o777).toBe(0o700);
  for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o444);
});

test('one name decides the certificate and the address for units, and the api trusts the proxy', async () => {
  const { environment = {} } = serviceOf(automatic, 'server');
  const { units, trustedProxies, tls } = await readApiConfig(withoutSecrets(environment));

  expect(units.mqttUrl).toBe('mqtts://counter.example:8883');
  expect([trustedProxies, tls]).toEqual([['uniquelocal'], undefined]);
  const certificate =
    '/caddy/certificates/acme-v02.api.letsencrypt.org-directory/counter.example/counter.example';
  expect(environment).toMatchObject({
    MQTT_TLS_CERT: `${certificate}.crt`,
    MQTT_TLS_KEY: `${certificate}.key`,
  });
  expect(serviceOf(automatic, 'admin').environment).toMatchObject({ HTTP_TLS_CERT: `${certificate}.crt` });
  expect(serviceOf(automatic, 'caddy')).toMatchObject({
    environment: {
      DOMAIN: 'counter.example',
      TLS_ISSUER: 'acme https://acme-v02.api.letsencrypt.org/directory',
    },
    healthcheck: { test: ['CMD', 'test', '-s', `${certificate}.crt`] },
  });
});

test('only Caddy writes the certificate, as the user that reads it in the server', () => {
  const [caddy, server] = [serviceOf(automatic, 'caddy'), serviceOf(automatic, 'server')];
  expect(mount(caddy, '/caddy')).not.toHaveProperty('read_only');
  expect(mount(server, '/caddy')).toMatchObject({ source: 'caddy', read_only: true });
  expect(caddy.user).toBe(server.user);
});

test('publishes only the ports for units and browsers; the database is in a network of its own', () => {
  const published = services.flatMap(([, { ports = [] }]) => ports);
  expect(published).toEqual(['80:8080', '443:8443', '8883:8883']);
  expect(automatic.networks['database']).toEqual({ internal: true });
  expect(serviceOf(automatic, 'postgres').networks).toEqual(['database']);
  expect(serviceOf(automatic, 'caddy').networks).toEqual(['outside']);
});

test('with certificates from files the server speaks HTTPS and MQTT with them, trusts no proxy, and there is no Caddy', async () => {
  const server = serviceOf(withCertificates, 'server');
  const { tls, trustedProxies, units } = await readApiConfig(withoutSecrets(server.environment));

  expect(tls).toMatchObject({ certFile: '/tls/fullchain.pem', keyFile: '/tls/privkey.pem' });
  expect(server.environment).toMatchObject({ MQTT_TLS_CERT: tls?.certFile, MQTT_TLS_KEY: tls?.keyFile });
  expect([trustedProxies, units.mqttUrl]).toEqual([[], 'mqtts://counter.example:8883']);
  expect(server.ports).toEqual(['8883:8883', '443:8080']);
  expect(server.volumes).toContain('./tls:/tls:ro');
  expect(serviceOf(withCertificates, 'caddy').profiles).toEqual(['unused']);
  expect(serviceOf(withCertificates, 'admin').environment).toMatchObject({ HTTP_TLS_CERT: tls?.certFile });
});

test('programs run from the image of this version, which is never requested from a registry', () => {
  const { version }: { version: string } = JSON.parse(textOf('package.json'));
  for (const name of ['setup', 'server', 'admin']) {
    const { image, pull_policy } = serviceOf(automatic, name);
    expect([image, pull_policy]).toEqual([`visitor-counter:${version}`, 'never']);
  }
  expect(serviceOf(automatic, 'server').user).toBe(imageConfig.User);
});
