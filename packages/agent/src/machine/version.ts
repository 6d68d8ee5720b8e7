import manifest from '../../package.json' with { type: 'json' };

/** The agent's version, `x.y.z`. */
export const version: string = manifest.version;
