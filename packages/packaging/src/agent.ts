import { becomeBundledAgent } from './agent/run-agent.ts';

// Bundling is worth its time only for `run`, which runs for years.
if (process.argv[2] === 'run') await becomeBundledAgent(process.argv.slice(2));
await import('@visitor-counter/agent/main');
