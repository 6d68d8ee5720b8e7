import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programArgs, startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';

const unit = `
serial: CU-1
secret: secret
server: mqtt://127.0.0.1:1
journal: journal
beams: { source: replay, file: door.csv, realTime: true }
`;

/** Somebody walks in every three seconds, for ten minutes. */
const walks = Array.from({ length: 200 }, (_, walk) => {
  const at = (walk + 1) * 3_000;
  return `${at},a,1\n${at + 300},b,1\n${at + 600},a,0\n${at + 900},b,0\n`;
});

test.each(['100x40', '0x0'])(
  'watch redraws the door in a terminal of %s, and Ctrl-C ends it',
  async (size) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'unit.yaml'), unit);
    await writeFile(join(folder, 'door.csv'), `0,a,0\n0,b,0\n${walks.join('')}`);
    const agent = await startService('agent', ['run', '--config', join(folder, 'unit.yaml')], {});
    onTestFinished(() => agent.kill());
    const typist = fileURLToPath(new URL('type-ctrl-c.py', import.meta.url));
    const command = [
      process.execPath,
      ...programArgs('agent'),
      'watch',
      '--config',
      join(folder, 'unit.yaml'),
    ];

    const { stdout } = await promisify(execFile)('python3', [typist, 'a, both, b: IN', size, ...command]);

    expect(stdout).toContain('CU-1');
    expect(stdout).toContain('● broken');
    expect(stdout).toMatch(/in .*\d+.* {3}out .*0/);
    // The cursor, hidden while the screen is redrawn, is visible again.
    expect(stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stdout.lastIndexOf('\u001b[?25l'));
  },
);
