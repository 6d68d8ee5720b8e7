/** A client went beyond its rights; its connection is closed. */
export class RightsViolation extends Error {
  override readonly name = 'RightsViolation';
  readonly code = 'rights-violation';
}
