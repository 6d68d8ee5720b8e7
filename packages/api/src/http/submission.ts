/** What a body holds, whatever its format: names and values as they came, in their order. */
export type Submission = readonly (readonly [name: string, value: unknown])[];
