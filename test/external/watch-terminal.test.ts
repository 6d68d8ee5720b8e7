import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programArgs } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';

const unit = `
serial: CU-1
secret: secret
server: mqtt://127.0.0.1:1
journal: journal
beams: { source: replay, file: door.csv, realTime: true }
`;

test.each(['100x40', '0x0'])(
  'watch redraws the door in a terminal of %s, and Ctrl-C ends it',
  async (size) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'unit.yaml'), unit);
    await writeFile(
      join(folder, 'door.csv'),
      '0,a,0\n0,b,0\n200,a,1\n400,b,1\n600,a,0\n800,b,0\n60000,a,1\n',
    );
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
    expect(stdout).toMatch(/in .*1.* {3}out .*0/);
    // The cursor, hidden while the screen is redrawn, is visible again.
    expect(stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stdout.lastIndexOf('\u001b[?25l'));
  },
);
