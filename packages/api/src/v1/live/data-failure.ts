/**
 * True for an error that comes from a stored value: what a formatter or a calendar throws, and the data exceptions of
 * PostgreSQL (SQLSTATE class 22). False for everything that concerns all companies alike.
 */
export function isDataFailure(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  return error instanceof Error && 'code' in error && /^22.../.test(String(error.code));
}
