import { seededRandom } from '@visitor-counter/simulation/random';
import type { Channel } from '@visitor-counter/wire/topics';

/** A message that no honest unit sends. */
export interface ExtremeMessage {
  readonly channel: Channel;
  readonly payload: string;
}

/** Numbers at the bounds of JSON, ECMAScript and PostgreSQL, with both signs. */
const numbers: readonly string[] = [
  '0',
  '-0',
  '1',
  '-1',
  '0.5',
  '1e-320',
  '127',
  '128',
  '255',
  '256',
  '32767',
  '32768',
  '65535',
  '65536',
  '2147483647',
  '2147483648',
  '-2147483649',
  '4294967295',
  '4294967296',
  '281474976710656',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740991',
  '9223372036854775807',
  '1e308',
  '1e400',
  '8640000000000000',
  '8640000000000001',
  '-8640000000000000',
  '253402300799999',
  '253402300800000',
  /* The first and the last instants that PostgreSQL can store. */
  ...['9224318015999999', '9224318016000000', '-210866803200000', '-210866803200001'],
];

/** Text that a program can misinterpret. */
const texts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\ufeff',
  '\u202e',
  '😀'.repeat(30),
  'x'.repeat(64),
  'x'.repeat(128),
  'x'.repeat(4_000),
  '__proto__',
  'constructor',
  'null',
  "'; drop table crossing --",
  '=1+1',
  '@x',
  '\t',
  '\r\n',
  '<script>alert(1)</script>',
  'https://example.org/pay-here',
  '%00',
  '../../etc/passwd',
  '{{7*7}}',
  '$1',
  '\\',
];

const day = 86_400_000;

/** All extremes that a device can send in heartbeats and crossings, drawn from the seed. */
export class ExtremeMessages {
  readonly #random: () => number;
  readonly #now: () => number;
  #journals = 0;

  /** `now`: epoch ms, for instants about the present. */
  constructor(seed: number, now: () => number) {
    this.#random = seededRandom(seed);
    this.#now = now;
  }

  next(): ExtremeMessage {
    const roll = this.#random();
    if (roll < 0.45) return { channel: 'heartbeat', payload: this.#heartbeat() };
    if (roll < 0.9) return { channel: 'crossings', payload: this.#crossings() };
    return { channel: 'status', payload: this.#pick(['online', 'offline', 'asleep', '', '\0', '{}']) };
  }

  /** A heartbeat that is valid except for the given fields, which are JSON text. */
  *everyField(): Generator<ExtremeMessage> {
    for (const field of Object.keys(this.#rightHeartbeat())) {
      for (const value of [
        ...numbers,
        ...texts.map((text) => JSON.stringify(text)),
        'null',
        '[]',
        '{}',
        'true',
      ]) {
        yield { channel: 'heartbeat', payload: this.#heartbeatWith({ [field]: value }) };
      }
    }
    for (const number of numbers) {
      yield { channel: 'heartbeat', payload: this.#heartbeatWith({ beams: this.#beams(number, '1') }) };
      yield { channel: 'heartbeat', payload: this.#heartbeatWith({ beams: this.#beams('1', number) }) };
      yield { channel: 'crossings', payload: `{"journal":"e","first":1,"crossings":[[${number},1]]}` };
      yield {
        channel: 'crossings',
        payload: `{"journal":"e","first":${number},"crossings":[[${this.#now()},1]]}`,
      };
      yield {
        channel: 'crossings',
        payload: `{"journal":"e","first":2,"crossings":[[${this.#now()},1,${number}]]}`,
      };
    }
  }

  /** Heartbeats with instants that can break a reader that formats them. */
  *lasting(): Generator<ExtremeMessage> {
    for (const since of ['0', '8640000000000000', '253402300799999', '253402300800000', '9007199254740991']) {
      yield { channel: 'heartbeat', payload: this.#heartbeatWith({ beams: this.#beams(since, '1') }) };
    }
  }

  #heartbeat(): string {
    const fields = Object.keys(this.#rightHeartbeat());
    const wrong = fields.filter(() => this.#random() < 0.2);
    return this.#heartbeatWith(Object.fromEntries(wrong.map((field) => [field, this.#anything(field)])));
  }

  #heartbeatWith(fields: Readonly<Record<string, string>>): string {
    const all = Object.entries({ ...this.#rightHeartbeat(), ...fields });
    return `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }

  /** The values of the fields as JSON text: not every number that JSON can write is one of ECMAScript. */
  #rightHeartbeat(): Record<string, string> {
    const now = String(this.#now());
    return {
      at: now,
      uptime: '60',
      version: '"1.0.0"',
      journal: '"hostile"',
      recorded: '1',
      acknowledged: '1',
      clock: '"synced"',
      beams: this.#beams(now, '1'),
      cpuTemperature: '40',
      diskFree: '1000000',
      config: '{"revision":1}',
      lost: '[]',
      waiting: '0',
      commands: '[{"id":1,"state":"done"}]',
    };
  }

  #beams(since: string, breaks: string): string {
    const beam = (name: string, state: string) =>
      `{"name":${JSON.stringify(name)},"state":"${state}","since":${since},"breaks":${breaks}}`;
    return `[${beam(this.#pick(['outer', ...texts]), 'blocked')},${beam('inner', 'clear')}]`;
  }

  #anything(field: string): string {
    const number = this.#pick(numbers);
    if (field === 'beams') return this.#random() < 0.7 ? this.#beams(number, this.#pick(numbers)) : '[[]]';
    if (field === 'lost') return `[["${this.#journal()}",${number},${this.#pick(numbers)}]]`;
    if (field === 'config') return `{"revision":${number},"problem":${JSON.stringify(this.#pick(texts))}}`;
    if (field === 'commands')
      return `[{"id":${number},"state":"running","sent":${this.#pick(numbers)},"total":0}]`;
    return this.#random() < 0.6 ? number : JSON.stringify(this.#pick(texts));
  }

  #crossings(): string {
    const first = this.#random() < 0.7 ? '1' : this.#pick(numbers);
    const count = this.#random() < 0.1 ? 1_000 : 1 + Math.floor(this.#random() * 5);
    const crossings = Array.from({ length: count }, () => this.#crossing());
    return `{"journal":${JSON.stringify(this.#journal())},"first":${first},"crossings":[${crossings.join(',')}]}`;
  }

  /** At any time since 2001, on the last day, and at impossible times. */
  #crossing(): string {
    const ages = [
      0,
      day,
      40 * day,
      399 * day,
      401 * day,
      this.#now() - Date.UTC(2001, 0, 1),
      -day,
      -25 * 3_600_000,
    ];
    const at = this.#now() - this.#pick(ages) - Math.floor(this.#random() * 1_000_000);
    const instant = this.#random() < 0.8 ? String(at) : this.#pick(numbers);
    const direction = this.#random() < 0.9 ? this.#pick(['1', '-1']) : this.#pick(numbers);
    return this.#random() < 0.2
      ? `[${instant},${direction},${this.#pick(numbers)}]`
      : `[${instant},${direction}]`;
  }

  #journal(): string {
    const roll = this.#random();
    if (roll < 0.3) return 'hostile';
    if (roll < 0.5) return this.#pick(texts);
    this.#journals += 1;
    return `hostile-${this.#journals}`;
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}
