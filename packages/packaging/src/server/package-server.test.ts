import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { listen } from '@visitor-counter/service/listen';
import { parseEnvironmentFile } from '@visitor-counter/service/settings/environment';
import { expect, onTestFinished, test } from 'vitest';
import { imageConfig } from '../image/package-image.ts';
import { fileOf } from '../program/program-tree.ts';
import { serverTree } from './package-server.ts';

test('names the commands of the package, not those of a checkout', async () => {
  const tree = await serverTree({ program: Buffer.from(''), licence: '' }, 'changes');
  const texts = tree.map(({ path, content = '' }) => {
    return { path, text: String(path.endsWith('.gz') ? gunzipSync(content) : content) };
  });
  expect(texts.map(({ path }) => path)).toContain('/usr/share/doc/visitor-counter/configuration.md.gz');
  expect(texts.filter(({ text }) => text.includes('npx pnpm')).map(({ path }) => path)).toEqual([]);
});

test('the addresses for other machines, in the settings of the package and of the image, serve IPv4 and IPv6', async () => {
  const settings = (await fileOf('server/server.env')).replaceAll(/^#(?=(MQTT|HTTP)_)/gm, '');
  const { MQTT_HOST, HTTP_HOST } = parseEnvironmentFile(settings);
  const ofImage = imageConfig.Env.flatMap((line) => /^\w+_HOST=(.*)$/.exec(line)?.[1] ?? []);
  for (const host of [MQTT_HOST ?? '', HTTP_HOST ?? '', ...ofImage]) {
    const server = createServer().unref();
    onTestFinished(() => void server.close());
    const port = await listen(server, { host, port: 0, setting: 'PORT' });
    for (const address of ['127.0.0.1', '::1']) {
      const socket = connect(port, address);
      await once(socket, 'connect');
      socket.destroy();
    }
  }
});
