import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startMachine } from './server-package/machine.ts';

const server = join(import.meta.dirname, '../../packages/server/src/main.ts');

/* 2 would be a setting that cannot be used, after which a supervisor does not start the server again. */
test.each([
  ['its key', ''],
  ['who uses it', 'openssl rand -base64 32 > /full/data/secrets.key; '],
])(
  'on a full disk the server cannot write %s into DATA_DIR: it says so, and ends with exit code 1',
  async (_what, before) => {
    const { sh } = await startMachine();
    await sh(`mkdir /full && mount -t tmpfs -o size=64k tmpfs /full && mkdir /full/data; ${before}
    dd if=/dev/zero of=/full/filler bs=4k 2>/dev/null || true`);

    const printed = await sh(
      `METRICS_PORT=0 DATA_DIR=/full/data ${process.execPath} ${server} 2>&1; echo "exit code $?"`,
    );

    expect(printed).toMatch(/^Error: the disk of DATA_DIR is full: make room for \/full\/data \(ENOSPC: /);
    expect(printed).toMatch(/^exit code 1$/m);
  },
);
