/** Devices have moved since it was read where they belong; trying again at once helps. */
export class AssignmentsChanged extends Error {
  override readonly name = 'AssignmentsChanged';
  readonly code = 'assignments-changed';
}
