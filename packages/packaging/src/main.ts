import { Command, Option } from 'commander';
import { architectures } from './architecture.ts';
import { packageAgent } from './package-agent.ts';

const program = new Command('packaging').description('Builds what is installed on a counter unit.');

program
  .command('agent')
  .description(
    'Build the Debian package of the agent; prints its path. The same commit gives the same bytes.',
  )
  .addOption(
    new Option('--arch <name>', 'processor: arm64 for a Raspberry Pi')
      .choices(architectures)
      .default('arm64'),
  )
  .option('--out <folder>', 'where to write it', 'dist')
  .option('--version <version>', "the package's version, where it is not the agent's")
  .action(async ({ arch, ...options }) => {
    console.log(await packageAgent({ architecture: arch, ...options }));
  });

await program.parseAsync();
