import { Command, InvalidArgumentError } from 'commander';
import { attackApi } from './attack-api.ts';
import { attackExtremes } from './attack-extremes.ts';
import { attackGateway } from './attack-gateway.ts';
import { anySeed } from './fuzz/random.ts';

const attack = new Command('attack').description('Attack a part of the product, and check it afterwards.');

attack
  .command('all', { isDefault: true })
  .description('extremes, then gateway (the default)')
  .option('--packets <n>', 'packets to send to the gateway', whole, 1_000_000)
  .option('--messages <n>', 'extreme messages to draw', whole, 5_000)
  .option('--seed <n>', 'the same seed sends the same', whole, anySeed())
  .addHelpText('after', '\nExit codes: 0 neither found anything; 1 otherwise.')
  .action(async (options: { packets: number; messages: number; seed: number }) => {
    console.error(`seed ${options.seed}`);
    await attackExtremes(options);
    await attackGateway(options);
  });

attack
  .command('extremes')
  .description('extremes of heartbeats and crossings through a gateway, while everything is read')
  .option('--messages <n>', 'messages to draw, in addition to every bound of every field', whole, 5_000)
  .option('--seed <n>', 'the same seed sends the same messages', whole, anySeed())
  .addHelpText('after', '\nExit codes: 0 no status from 500 on, no error, no process that ends; 1 otherwise.')
  .action(async (options: { messages: number; seed: number }) => {
    console.error(`seed ${options.seed}`);
    await attackExtremes(options);
  });

attack
  .command('gateway')
  .description('random and mutated MQTT packets to a gateway')
  .option('--packets <n>', 'packets to send', whole, 1_000_000)
  .option('--seed <n>', 'the same seed sends the same packets', whole, anySeed())
  .addHelpText('after', '\nExit codes: 0 no crash, no error, memory back where it was; 1 otherwise.')
  .action(async (options: { packets: number; seed: number }) => {
    console.error(`seed ${options.seed}`);
    await attackGateway(options);
  });

attack
  .command('api')
  .description('random forms, JSON bodies, SOAP messages and requests of /v1 to the public interface')
  .option('--requests <n>', 'requests to send', whole, 100_000)
  .option('--seed <n>', 'the same seed sends the same requests', whole, anySeed())
  .addHelpText(
    'after',
    '\nExit codes: 0 every answer is in the OpenAPI document and none a failure; 1 otherwise.',
  )
  .action(async (options: { requests: number; seed: number }) => {
    console.error(`seed ${options.seed}`);
    await attackApi(options);
  });

await attack.parseAsync();

function whole(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('expected a whole number');
}
